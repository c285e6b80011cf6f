import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../runtime/clock/manual-clock.ts'
import { StoreError } from '../store.ts'
import { Attempts } from './attempts.ts'

function setup() {
  const clock = new ManualClock()
  const attempts = new Attempts(clock, { database: 'Sketch', place: 'here', kindOf: () => 'away' })
  return { clock, attempts }
}

test('a call that is never answered ends, and nobody knows whether it was done', async () => {
  const { clock, attempts } = setup()
  let isOver = false
  const made = attempts.make((over) => {
    over.addEventListener('abort', () => (isOver = true))
    return new Promise<never>(() => {})
  })
  const refused = assert.rejects(made, (error: unknown) => {
    assert.ok(error instanceof StoreError)
    assert.match(error.message, /^Sketch \(here\): no answer for 8 s$/)
    return error.outcomeUnknown && error.retryable
  })
  await clock.advance(8_000)
  await refused
  assert.ok(isOver, 'whoever makes the call is told to give up')
})

test('a call that is answered leaves no time limit behind', async () => {
  const { clock, attempts } = setup()
  assert.equal(await attempts.make(() => Promise.resolve(7)), 7)
  assert.equal(clock.waiting, 0)
})

test('what was not done is tried again', async () => {
  const { clock, attempts } = setup()
  let calls = 0
  const made = attempts.make(() => (++calls < 3 ? Promise.reject(new Error('away')) : Promise.resolve(calls)))
  await clock.advance(1_000)
  assert.equal(await made, 3)
})
