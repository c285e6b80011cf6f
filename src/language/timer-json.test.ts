import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Compile } from 'typebox/compile'
import type { JsonText, Namespace, Timer, TimerId, TimerUuid } from '../core/timer/timer.ts'
import { DEFAULT_RETRY } from '../core/rules/retry.ts'
import { NEVER, NO_ATTEMPTS } from '../core/timer/timer.ts'
import { TimerAnswer } from './answer-schema.ts'
import { readRetryPolicy, retryPolicyJson } from './retry-policy.ts'
import type { RetryPolicyFields } from './retry-policy.ts'
import { timerJson } from './timer-json.ts'

const BARE: Timer = {
  namespace: 'default' as Namespace,
  id: 'a' as TimerId,
  uuid: '0123456789abcdef0123456789abcdef' as TimerUuid,
  version: 1,
  status: 'pending',
  schedule: null,
  timeZone: null,
  rules: null,
  nominalAt: 1_900_000_000_000,
  anchorAt: null,
  iteration: 1,
  catchUp: 'all',
  maxLatenessMs: null,
  overlap: null,
  skipped: 0,
  dueAt: 1_900_000_000_000,
  wakeAt: 1_900_000_000_000,
  target: { type: 'none' },
  protocol: 'v1',
  payload: null,
  metadata: null,
  retry: DEFAULT_RETRY,
  timeoutMs: 30_000,
  createdAt: 1_800_000_000_000,
  updatedAt: 1_800_000_000_000,
  executedAt: null,
  finishedAt: null,
  firing: 1,
  attempts: 0,
  firstAttemptAt: null,
  extra: null,
  running: null,
  zoned: null,
  lastError: null,
  attemptLog: NO_ATTEMPTS,
  traceparent: null,
  correlationId: null,
  fingerprint: null,
  lastCommand: null,
  tenant: null,
}

const FULL: Timer = {
  ...BARE,
  schedule: 'R3/PT1H',
  timeZone: 'Europe/Berlin',
  anchorAt: 1,
  target: { type: 'nats', topic: 'a.b', key: 'k', headers: { secret: 'x' } },
  payload: '{"big":12345678901234567890}' as JsonText,
  metadata: '{"a":1}' as JsonText,
  retry: { ...DEFAULT_RETRY, maxAttempts: 1 },
  timeoutMs: 1_500,
  executedAt: 1_800_000_000_500,
  wakeAt: 1_900_000_001_000,
  attempts: 2,
  lastError: 'a "quoted" error',
  correlationId: 'a "quoted" id',
  attemptLog: [
    { at: 1, durationMs: 2, outcome: 'failed', statusCode: null, error: 'refused' },
    { at: 3, durationMs: 4, outcome: 'delivered', statusCode: 200, error: null },
  ],
}

const answer = Compile(TimerAnswer)

test('the least and the most a timer can have are what the documentation says', () => {
  for (const timer of [BARE, FULL]) {
    const json = JSON.parse(timerJson(timer)) as unknown
    assert.deepEqual(answer.Errors(json), [])
  }
  assert.equal((JSON.parse(timerJson(FULL)) as { correlationId: string }).correlationId, 'a "quoted" id')
})

test('what is absent is left out', () => {
  const optional = Object.keys(TimerAnswer.properties).filter(
    (field) => !(TimerAnswer.required as readonly string[]).includes(field),
  )
  const json = JSON.parse(timerJson(BARE)) as Record<string, unknown>
  assert.deepEqual(Object.keys(json).toSorted(), TimerAnswer.required.toSorted())
  assert.ok(optional.length >= 11)
})

test('a payload goes through as text: digits that no double can hold are kept', () => {
  assert.ok(timerJson(FULL).includes('"payload":{"big":12345678901234567890}'))
})

test('a paused timer has no next attempt', () => {
  assert.ok(!timerJson({ ...BARE, status: 'paused', wakeAt: NEVER }).includes('nextAttemptAt'))
})

test('any id, URL, header and error makes JSON that carries them unchanged', () => {
  const text = fc.string({ unit: 'binary', minLength: 1 })
  fc.assert(
    fc.property(
      text,
      text,
      fc.dictionary(fc.stringMatching(/^[a-z]{1,9}$/), text),
      text,
      (id, url, headers, lastError) => {
        const timer: Timer = { ...BARE, id: id as TimerId, target: { type: 'http', url, headers }, lastError }
        const json = JSON.parse(timerJson(timer, { secrets: true })) as Record<string, unknown>
        assert.equal(json['id'], id)
        assert.equal(json['lastError'], lastError)
        assert.deepEqual(json['callback'], { type: 'http', url, headers: { ...headers } })
      },
    ),
  )
})

test('a retry policy that was answered can be sent again and is the same', () => {
  const policy = fc.record(
    {
      maxAttempts: fc.integer({ min: 1, max: 101 }),
      initialIntervalMs: fc.integer({ min: 1, max: 86_400_000 }),
      multiplier: fc.double({ min: 1, max: 10, noNaN: true }),
      maxIntervalMs: fc.integer({ min: 1, max: 86_400_000 }),
      maxDurationMs: fc.integer({ min: 0, max: 86_400_000 }),
    },
    { noNullPrototype: true },
  )
  fc.assert(
    fc.property(policy, (one) =>
      assert.deepEqual(readRetryPolicy(JSON.parse(retryPolicyJson(one)) as RetryPolicyFields), one),
    ),
  )
})

test('both generations of names mean the same', () => {
  const older = readRetryPolicy({ maxRetries: 4, backoffMultiplier: 3, maxRetryAttemptsDuration: '1h' })
  assert.deepEqual(readRetryPolicy({ maxAttempts: 5, multiplier: 3, maxAttemptsDuration: 'PT1H' }), older)
  assert.equal(readRetryPolicy({ maxRetries: 3, initialInterval: '30s' }), DEFAULT_RETRY)
})
