import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_RETRY, SINGLE_ATTEMPT } from '../core/retry.ts'
import { NO_ATTEMPTS } from '../core/timer.ts'
import { sampleTimer } from './sample-timer.ts'
import { appendCells, CELLS_PER_TIMER, statusOf, timerAt, timersOf } from './timer-row.ts'
import type { Cell } from './timer-row.ts'

function cellsOf(...timers: Parameters<typeof appendCells>[1][]): Cell[] {
  const cells: Cell[] = []
  for (const timer of timers) appendCells(cells, timer)
  return cells
}

test('a row with codes of a newer version is refused, not guessed at', () => {
  assert.throws(() => statusOf(99), /unknown timer status 99/)
  const cells = cellsOf(sampleTimer())
  cells[9] = 77
  assert.throws(() => timerAt(cells, 0), /unknown target type 77/)
})

test('what most timers have in common is NULL and decodes to the shared constant', () => {
  const timer = sampleTimer({ retry: { ...DEFAULT_RETRY }, attemptLog: [] })
  const cells = cellsOf(timer)
  assert.equal(cells.filter((cell) => cell === null).length, 15)
  const decoded = timerAt(cells, 0)
  assert.deepEqual(decoded, timer)
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
