// The stored form of a timer. The golden rows below are what databases hold: a test that fails here means that stored timers
// would change their meaning, so the code changes and not the row.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_RETRY, SINGLE_ATTEMPT } from '../../core/rules/retry.ts'
import { NEVER, NO_ATTEMPTS, Status } from '../../core/timer/timer.ts'
import type { JsonText, Timer } from '../../core/timer/timer.ts'
import { SAMPLE_NOW, sampleTimer } from '../conformance/sample-timer.ts'
import { statusOf } from './codes.ts'
import { CellAt, CELLS_PER_TIMER } from './columns.ts'
import type { Cell } from './columns.ts'
import { appendCells, timerAt, timersOf } from './timer-row.ts'

function cellsOf(...timers: readonly Timer[]): Cell[] {
  const cells: Cell[] = []
  for (const timer of timers) appendCells(cells, timer)
  return cells
}

const UUID = sampleTimer().uuid
const PAYLOAD = '{"order":"o-1234567890","reason":"payment reminder","n":1}'
const URL = 'http://127.0.0.1:9/hooks/orders/reminders'

const EVERYTHING = sampleTimer({
  version: 7,
  status: Status.paused,
  dueAt: SAMPLE_NOW + 60_000,
  wakeAt: NEVER,
  schedule: 'R3/PT1H',
  timeZone: 'Europe/Vienna',
  rules: { dst: { gap: 'skip' }, endAt: SAMPLE_NOW + 9, maxFirings: 3, lastIteration: 3 },
  nominalAt: SAMPLE_NOW + 50_000,
  anchorAt: SAMPLE_NOW,
  iteration: 2,
  catchUp: 'one',
  maxLatenessMs: 1_000,
  overlap: 'skip',
  skipped: 2,
  target: { type: 'nats', topic: 'a.b', key: 'k', headers: { x: '1' } },
  protocol: 'messages',
  payload: null,
  metadata: '{"k":1}' as JsonText,
  retry: { maxAttempts: 9, initialIntervalMs: 1, multiplier: 1.5, maxIntervalMs: 2, maxDurationMs: 3 },
  timeoutMs: 1_500,
  updatedAt: SAMPLE_NOW + 1,
  executedAt: SAMPLE_NOW + 2,
  finishedAt: SAMPLE_NOW + 3,
  firing: 4,
  attempts: 5,
  firstAttemptAt: SAMPLE_NOW + 6,
  lastError: 'HTTP 500',
  attemptLog: [{ at: SAMPLE_NOW + 6, durationMs: 7, outcome: 'failed', statusCode: 500, error: 'HTTP 500' }],
  extra: {
    dueAt: SAMPLE_NOW,
    number: 6,
    regular: { status: Status.paused, wakeAt: NEVER, attempts: 1, firstAttemptAt: null },
  },
  traceparent: '00-1-2-01',
  correlationId: 'c-1',
  lastCommand: { stream: 'S', sequence: 8 },
  fingerprint: 'f-1',
  tenant: 'acme',
})

const GOLDEN: readonly (readonly [name: string, timer: Timer, row: readonly Cell[]])[] = [
  [
    'a timer with everything at its default',
    sampleTimer(),
    [
      2,
      1893456060000,
      UUID,
      'default',
      'sample',
      1,
      0,
      0,
      null,
      1893456000000,
      null,
      PAYLOAD,
      null,
      `{"target":{"url":"${URL}"}}`,
    ],
  ],
  [
    "a function's timer",
    sampleTimer({ target: { type: 'function' } }),
    [2, 1893456060000, UUID, 'default', 'sample', 1, 0, 0, null, 1893456000000, null, PAYLOAD, null, '{}'],
  ],
  [
    'a timer with nothing at its default',
    EVERYTHING,
    [
      2,
      NEVER,
      UUID,
      'default',
      'sample',
      7,
      1,
      1,
      1893456060000,
      1893456000000,
      'acme',
      null,
      '{"k":1}',
      '{"target":{"type":"nats","topic":"a.b","key":"k","headers":{"x":"1"}},"protocol":"messages","schedule":"R3/PT1H",' +
        '"timeZone":"Europe/Vienna","rules":{"dst":{"gap":"skip"},"endAt":1893456000009,"maxFirings":3,"lastIteration":3},"nominalAt":1893456050000,"anchorAt":1893456000000,"iteration":2,"catchUp":"one","maxLatenessMs":1000,"overlap":"skip","skipped":2,"retry":[9,1,1.5,2,3],"timeoutMs":1500,' +
        '"updatedAt":1893456000001,"executedAt":1893456000002,"finishedAt":1893456000003,"firing":4,"attempts":5,' +
        '"firstAttemptAt":1893456000006,"lastError":"HTTP 500","attemptLog":[[1893456000006,7,"failed",500,"HTTP 500"]],' +
        '"extra":{"dueAt":1893456000000,"number":6,"regular":{"status":"paused","wakeAt":8640000000000000,"attempts":1,"firstAttemptAt":null}},' +
        '"traceparent":"00-1-2-01","correlationId":"c-1","lastCommand":{"stream":"S","sequence":8},"fingerprint":"f-1"}',
    ],
  ],
]

for (const [name, timer, row] of GOLDEN) {
  test(`${name} is stored as it always was, and read back whole`, () => {
    assert.deepEqual(cellsOf(timer), row)
    assert.deepEqual(timerAt(row, 0), timer)
  })
}

const FIRED = {
  status: Status.completed,
  wakeAt: SAMPLE_NOW + 999_000,
  attempts: 1,
  updatedAt: SAMPLE_NOW + 60_003,
  executedAt: SAMPLE_NOW + 60_001,
  finishedAt: SAMPLE_NOW + 60_003,
  firstAttemptAt: SAMPLE_NOW + 60_001,
  attemptLog: [{ at: SAMPLE_NOW + 60_001, durationMs: 2, outcome: 'delivered', statusCode: 200, error: null }],
} as const satisfies Partial<Timer>

test('a timer that has fired once says each of its times once', () => {
  const cells = cellsOf(sampleTimer(FIRED))
  assert.equal(
    cells[CellAt.timer_document],
    `{"target":{"url":"${URL}"},"updatedAt":1893456060003,"attempts":1,"attemptLog":[[1893456060001,2,"delivered",200,null]]}`,
  )
  assert.deepEqual(timerAt(cells, 0), sampleTimer(FIRED))
})

test('times that are not as they usually are come back as they were', () => {
  const times = [null, SAMPLE_NOW + 60_001, SAMPLE_NOW + 60_003]
  for (const status of [Status.pending, Status.failed])
    for (const attempts of [0, 1, 2])
      for (const attemptLog of [NO_ATTEMPTS, FIRED.attemptLog])
        for (const executedAt of times)
          for (const finishedAt of times)
            for (const firstAttemptAt of times) {
              const timer = { ...FIRED, status, attempts, attemptLog, executedAt, finishedAt, firstAttemptAt }
              assert.deepEqual(timerAt(cellsOf(sampleTimer(timer)), 0), sampleTimer(timer))
            }
})

test('a row with codes of a newer version is refused, not guessed at', () => {
  assert.throws(() => statusOf(99), /unknown timer status 99/)
  const cells = cellsOf(sampleTimer())
  cells[CellAt.timer_document] = '{"target":{"type":"pigeon"}}'
  assert.throws(() => timerAt(cells, 0), /unknown target type pigeon/)
})

test('what most timers have in common decodes to the shared constant', () => {
  const decoded = timerAt(cellsOf(sampleTimer({ retry: { ...DEFAULT_RETRY }, attemptLog: [] })), 0)
  assert.equal(decoded.retry, DEFAULT_RETRY)
  assert.equal(decoded.attemptLog, NO_ATTEMPTS)
  assert.equal(timerAt(cellsOf(sampleTimer({ retry: SINGLE_ATTEMPT })), 0).retry, SINGLE_ATTEMPT)
})

test('rows follow each other without a gap', () => {
  const timers = [sampleTimer({ version: 1 }), sampleTimer({ version: 2 })]
  const cells = cellsOf(...timers)
  assert.equal(cells.length, 2 * CELLS_PER_TIMER)
  assert.deepEqual(timersOf(cells), timers)
})
