import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failedDelivery } from '../core/timer/delivery.ts'
import type { DeliveryOutcome } from '../core/timer/delivery.ts'
import { settle } from '../core/rules/settle.ts'
import type { JsonText, TimerId } from '../core/timer/timer.ts'
import { createLogger } from '../runtime/telemetry/logger.ts'
import { ManualClock } from '../runtime/clock/manual-clock.ts'
import { sampleTimer } from '../store/conformance/sample-timer.ts'
import { DeliveryLog } from './delivery-log.ts'

type Line = Record<string, unknown>

function setup(logLevel: 'debug' | 'info') {
  const clock = new ManualClock()
  const lines: Line[] = []
  const logger = createLogger({
    logLevel,
    logFormat: 'json',
    destination: { write: (line) => void lines.push(JSON.parse(line) as Line) },
  })
  const observer = new DeliveryLog({ logger, clock }).observer()
  const deliver = (outcome: DeliveryOutcome, host = 'receiver:8080', id = 't'): void => {
    const before = sampleTimer({
      id: id as TimerId,
      dueAt: clock.now(),
      payload: '"a secret payload"' as JsonText,
      target: {
        type: 'http',
        url: `http://user:password@${host}/hook?token=secret`,
        headers: { 'x-api-key': 'secret' },
      },
    })
    const after = settle(
      before,
      { startedAt: clock.now(), durationMs: 7, outcome },
      { now: clock.now(), retentionMs: 1_000 },
    )
    observer.settled(before, after, outcome, 7)
  }
  return { clock, lines, deliver }
}

const without = (line: Line | undefined): Line => {
  const { time: _, ...rest } = line ?? {}
  return rest
}

test("a failed attempt is one line at warn with what one needs to find the cause, and without what is nobody's business", () => {
  const { clock, lines, deliver } = setup('info')
  deliver(failedDelivery('HTTP 503', { statusCode: 503, retryAfterMs: 60_000 }))
  deliver(failedDelivery('connection refused by receiver'))
  deliver(failedDelivery('HTTP 410', { statusCode: 410, final: true }))
  const same = {
    level: 'warn',
    namespace: 'default',
    id: 't',
    target: 'receiver:8080',
    attempt: 1,
    durationMs: 7,
    msg: 'delivery failed',
  }
  const nextAttemptAt = new Date(clock.now() + 60_000).toISOString()
  assert.deepEqual(without(lines[0]), { ...same, status: 503, nextAttemptAt })
  assert.deepEqual(without(lines[1]), {
    ...same,
    status: null,
    error: 'connection refused by receiver',
    nextAttemptAt: lines[1]!['nextAttemptAt'],
  })
  assert.deepEqual(without(lines[2]), { ...same, status: 410, nextAttemptAt: null })
  assert.doesNotMatch(JSON.stringify(lines), /secret|password/)
})

test('a success is a line at debug, and none above', () => {
  const quiet = setup('info')
  quiet.deliver({ type: 'delivered', statusCode: 200 })
  assert.deepEqual(quiet.lines, [])
  const { lines, deliver } = setup('debug')
  deliver({ type: 'delivered', statusCode: 200 })
  const { level, status, outcome, msg } = lines[0]!
  assert.deepEqual([level, status, outcome, msg], ['debug', 200, 'delivered', 'delivery ended'])
})

test('a dead target does not flood the log: what is left out is counted, and other targets are still logged', async () => {
  const { clock, lines, deliver } = setup('info')
  for (let n = 0; n < 1_000; n++) deliver(failedDelivery('HTTP 500', { statusCode: 500 }), 'dead')
  deliver(failedDelivery('HTTP 500', { statusCode: 500 }), 'other')
  assert.deepEqual([lines.length, lines.at(-1)!['target']], [11, 'other'])
  await clock.advance(10_000)
  assert.deepEqual(without(lines.at(-1)), {
    level: 'warn',
    leftOut: 990,
    msg: 'more deliveries failed than are logged one by one',
  })
  for (let n = 0; n < 1_000; n++) deliver(failedDelivery('HTTP 500', { statusCode: 500 }), `host-${n}`)
  await clock.advance(10_000)
  assert.deepEqual([lines.length, lines.at(-1)!['leftOut']], [12 + 100 + 1, 900])
  await clock.advance(60_000)
  assert.deepEqual([lines.length, clock.waiting], [113, 0])
})
