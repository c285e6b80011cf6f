import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DuetimeError, ErrorCode, unavailable } from '../../core/errors.ts'
import { answerCalls, Caller } from './calls.ts'

type Echo = { say(text: string): Promise<string>; fail(how: string): Promise<never> }

const FAILURES: Readonly<Record<string, Error>> = {
  known: new DuetimeError(ErrorCode.versionConflict, 'it has version 2', { version: 2 }),
  caused: unavailable('the store failed', 1_000, new Error('secret host is down')),
  defect: new TypeError('undefined is not a function'),
}

/** Two threads in one: messages are cloned, as they are between threads. */
function caller(): Caller<Echo> {
  const answer = answerCalls<Echo>(
    { say: async (text) => `${text}!`, fail: async (how) => Promise.reject(FAILURES[how]!) },
    (answered) => to.take(structuredClone(answered)),
  )
  const to = new Caller<Echo>((call) => answer(structuredClone(call)))
  return to
}

test('an error of the catalogue keeps its code, its details and its cause', async () => {
  const to = caller()
  await assert.rejects(to.call('fail', 'known'), FAILURES['known'])
  const error = await to.call('fail', 'caused').catch((thrown: unknown) => thrown as DuetimeError)
  assert.ok(error instanceof DuetimeError)
  assert.deepEqual([error.code, error.details], [ErrorCode.unavailable, { retryAfterMs: 1_000 }])
  assert.equal((error.cause as Error).message, 'secret host is down')
})

test('a defect is none of the catalogue, and brings its stack', async () => {
  const error = await caller()
    .call('fail', 'defect')
    .catch((thrown: unknown) => thrown as Error)
  assert.ok(!(error instanceof DuetimeError))
  assert.equal(error.stack, FAILURES['defect']!.stack)
})

test('calls to a side that is gone end, those that wait and those to come', async () => {
  const to = new Caller<Echo>(() => {})
  const waiting = to.call('say', 'a')
  to.end(new Error('it is gone'))
  await assert.rejects(waiting, /it is gone/)
  await assert.rejects(to.call('say', 'b'), /it is gone/)
  to.take({ answered: 1, result: 'late' })
})

test('each call has its own answer', async () => {
  const to = caller()
  assert.deepEqual(await Promise.all([to.call('say', 'a'), to.call('say', 'b')]), ['a!', 'b!'])
})
