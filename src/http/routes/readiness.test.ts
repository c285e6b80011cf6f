import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLogger } from '../../runtime/telemetry/logger.ts'
import { ManualClock } from '../../runtime/clock/manual-clock.ts'
import { Readiness } from './readiness.ts'

function setup() {
  const clock = new ManualClock()
  const lines: string[] = []
  const write = (line: string) => {
    const { level, msg, check, err } = JSON.parse(line) as {
      level: string
      msg: string
      check: string
      err?: { message: string }
    }
    lines.push(`${level} ${msg}: ${check}${err === undefined ? '' : `: ${err.message}`}`)
  }
  const logger = createLogger({ logLevel: 'info', logFormat: 'json', destination: { write } })
  return { clock, lines, readiness: new Readiness({ clock, logger }) }
}

const TOLD = { reasons: true }

test('a part that says nothing is not ready after 2 seconds, and the others are as they are', async () => {
  const { clock, readiness } = setup()
  const asked = readiness.check({ store: () => new Promise(() => {}), cluster: () => {} }, TOLD)
  await clock.advance(2_000)
  assert.deepEqual(await asked, { store: 'no answer within 2 seconds', cluster: 'ok' })
})

test('a part that fails, at once or later, says why to those who may know', async () => {
  const fail = (): never => {
    throw new Error('secret host is down')
  }
  const checks = { now: fail, later: async () => fail() }
  assert.deepEqual(await setup().readiness.check(checks, TOLD), {
    now: 'secret host is down',
    later: 'secret host is down',
  })
  assert.deepEqual(await setup().readiness.check(checks, { reasons: false }), { now: 'failed', later: 'failed' })
})

test('parts that are well leave nothing waiting', async () => {
  const { clock, readiness } = setup()
  assert.deepEqual(await readiness.check({ store: async () => {}, cluster: () => {} }, TOLD), {
    store: 'ok',
    cluster: 'ok',
  })
  assert.equal(clock.waiting, 0)
})

test('a part that fails is logged when that changes, however often it is asked', async () => {
  const { lines, readiness } = setup()
  let reason: string | null = null
  const check = async () => {
    if (reason !== null) throw new Error(reason)
  }
  for (reason of [null, 'refused', 'refused', 'refused', 'timeout', 'timeout', null, null, 'refused'])
    await readiness.check({ store: check }, TOLD)
  assert.deepEqual(lines, [
    'warn not ready: store: refused',
    'warn not ready: store: timeout',
    'info ready again: store',
    'warn not ready: store: refused',
  ])
})
