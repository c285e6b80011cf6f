import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLogger } from '../../runtime/telemetry/logger.ts'
import type { Logger } from '../../runtime/telemetry/logger.ts'
import { SkewWatch } from './clock-skew.ts'

function setup() {
  const told: string[] = []
  const note = (level: string) => (fields: { clockSkewMs: number }) => void told.push(`${level} ${fields.clockSkewMs}`)
  const logger = Object.assign(Object.create(silentLogger()) as Logger, { warn: note('warn'), info: note('info') })
  return { watch: new SkewWatch(logger), told }
}

test('a clock that is off is told of once, and again only after it was right in between', () => {
  const { watch, told } = setup()
  for (const skew of [10, -700, -650, 800, 300, 600, 100, 90, 501]) watch.look(skew)
  assert.deepEqual(told, ['warn -700', 'info 100', 'warn 501'])
})

test('what a round trip may take is not told of', () => {
  const { watch, told } = setup()
  for (const skew of [0, 499, -499]) watch.look(skew)
  assert.deepEqual(told, [])
})
