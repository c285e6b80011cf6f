import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NEVER, Status } from '../core/timer/timer.ts'
import type { Target } from '../core/targets/target.ts'
import type { JsonText, Timer } from '../core/timer/timer.ts'
import { fitting } from '../store/queries/page-size.ts'
import { SAMPLE_NOW, sampleTimer } from '../store/conformance/sample-timer.ts'
import { TimerAnswer } from './answer-schema.ts'
import { partsNotIn, TIMER_FIELDS, timerFieldsJson } from './timer-fields.ts'
import { timerJson } from './timer-json.ts'

const FULL: Timer = sampleTimer({
  schedule: 'R3/PT1H',
  timeZone: 'Europe/Berlin',
  anchorAt: SAMPLE_NOW,
  payload: '{"big":12345678901234567890}' as JsonText,
  metadata: '{"a":1}' as JsonText,
  timeoutMs: 1_500,
  executedAt: SAMPLE_NOW,
  wakeAt: SAMPLE_NOW + 90_000,
  attempts: 2,
  lastError: 'a "quoted" error',
  attemptLog: [{ at: 1, durationMs: 2, outcome: 'failed', statusCode: null, error: 'refused' }],
})
const EXTRA: Timer['extra'] = {
  dueAt: SAMPLE_NOW,
  number: 1,
  regular: { status: Status.pending, wakeAt: FULL.wakeAt, attempts: 0, firstAttemptAt: null },
}
const TARGETS: readonly Target[] = [
  { type: 'none' },
  { type: 'function' },
  { type: 'http', url: 'http://localhost/hook', headers: { authorization: 'secret' } },
  { type: 'nats', topic: 'a.b', key: 'k', headers: null },
]

test('all fields are what the whole timer shows, whatever it has', () => {
  assert.deepEqual(TIMER_FIELDS.toSorted(), Object.keys(TimerAnswer.properties).toSorted())
  const timers = [
    sampleTimer({ payload: null }),
    FULL,
    { ...FULL, status: Status.paused, wakeAt: NEVER },
    ...TARGETS.map((target) => ({ ...FULL, target })),
  ]
  for (const timer of timers) assert.equal(timerFieldsJson(TIMER_FIELDS)(timer), timerJson(timer))
})

test('only what is asked for is shown, and what the timer has not is left out', () => {
  assert.equal(timerFieldsJson(['status', 'id'])(FULL), '{"id":"sample","status":"pending"}')
  assert.equal(timerFieldsJson(['schedule'])(sampleTimer()), '{}')
})

test('what is not shown need not be read', () => {
  assert.deepEqual(partsNotIn(TIMER_FIELDS), [])
  assert.deepEqual(partsNotIn(['id', 'callbackUrl']), ['payload', 'metadata', 'headers', 'attempts'])
  assert.deepEqual(partsNotIn(['callback', 'lastError']), ['payload', 'metadata'])
  for (const field of TIMER_FIELDS) {
    const timer: Timer = { ...FULL, wakeAt: FULL.dueAt, extra: EXTRA }
    const [read] = fitting([timer], { limit: 1, omit: partsNotIn([field]) })
    assert.equal(timerFieldsJson([field])(read!), timerFieldsJson([field])(timer), field)
  }
})
