import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Delivery, Reply } from '../receiver.ts'
import { FAILING, OK } from '../receiver.ts'
import { checkHistory } from './check-history.ts'
import { describeHistory } from './history.ts'
import type { FinalState, Kill, Operation, TimerHistory } from './history.ts'

const DUE = 10_000
const completed = (revision = 1): FinalState => ({ status: 'completed', revision })

function operation(type: Operation['type'], at: number, more: Partial<Operation> = {}): Operation {
  const isWrite = type === 'create' || type === 'update'
  const write = isWrite ? { revision: 1, dueAt: DUE } : { revision: null, dueAt: null }
  return { type, ...write, cycle: null, sentAt: at - 5, endedAt: at, outcome: 'acknowledged', refusal: null, ...more }
}

type Told = {
  firedAt?: number
  dueAt?: number
  id?: string
  attempt?: number
  revision?: number
  iteration?: number
  reply?: Reply | null
}

function delivery({
  firedAt = DUE,
  dueAt = DUE,
  id = 'd1',
  attempt = 1,
  revision = 1,
  iteration,
  reply = OK,
}: Told = {}): Delivery {
  const payload = { revision, behaviour: { type: 'answer', afterMs: 0 } }
  const iso = (at: number) => new Date(at).toISOString()
  const body = {
    id: 't',
    namespace: 'default',
    payload,
    executeAt: iso(dueAt),
    firedAt: iso(firedAt),
    attempt,
    deliveryId: id,
  }
  return {
    arrivedAt: firedAt + 2,
    deliveryId: id,
    timerId: 't',
    attempt,
    dueAt,
    firedAt,
    body: iteration === undefined ? body : { ...body, iteration },
    rawBody: '',
    headers: {},
    answered: reply === null ? null : { at: firedAt + 3, reply },
  }
}

function check(operations: Operation[], deliveries: Delivery[], final: FinalState | null, kills: Kill[] = []) {
  const history: TimerHistory = { id: 't', operations, deliveries, final }
  return { ...checkHistory(history, kills), text: describeHistory(history, kills) }
}

function assertViolation(found: { readonly violations: readonly string[] }, expected: RegExp): void {
  assert.match(found.violations.join('\n'), expected)
}

const create = operation('create', 1_000)
const killAt = (at: number): Kill => ({ sentAt: at, goneAt: at + 4 })

test('an acknowledged timer that never fired is a loss, and so is one that nobody knows any more', () => {
  assertViolation(check([create], [], { status: 'pending', revision: 1 }), /should be live with revision 1/)
  assertViolation(check([create], [], null), /should be live with revision 1/)
  assertViolation(check([create], [], completed()), /no receiver ever answered ok/)
  assertViolation(check([create], [delivery({ reply: FAILING })], { status: 'failed', revision: 1 }), /should be live/)
})

test('a timer that an answer calls unknown after it was acknowledged is a loss', () => {
  const refusal = { status: 404, code: 'TIMER_NOT_FOUND', timerStatus: null }
  assertViolation(
    check([create, operation('cancel', 2_000, { outcome: 'refused', refusal })], [], null),
    /can only have been live/,
  )
})

test('a millisecond early is early', () => {
  assertViolation(check([create], [delivery({ firedAt: DUE - 1 })], completed()), /early/)
})

test('a due time that nobody asked for is wrong', () => {
  assertViolation(check([create], [delivery({ dueAt: DUE - 7 })], completed()), /nobody asked for/)
})

test('a delivery that starts after its cancel, its update or its pause was acknowledged is wrong', () => {
  const late = delivery({ firedAt: DUE + 20 })
  assertViolation(
    check([create, operation('cancel', DUE + 10)], [late], { status: 'canceled', revision: 1 }),
    /after its cancel/,
  )
  const update = operation('update', DUE + 10, { revision: 2, dueAt: DUE + 500 })
  assertViolation(
    check(
      [create, update],
      [late, delivery({ firedAt: DUE + 500, dueAt: DUE + 500, revision: 2, id: 'd2' })],
      completed(2),
    ),
    /after its update/,
  )
  assertViolation(
    check([create, operation('pause', DUE + 10)], [late], { status: 'paused', revision: 1 }),
    /while paused/,
  )
})

test('an old revision that ends a timer whose update was acknowledged is wrong', () => {
  const update = operation('update', 2_000, { revision: 2, dueAt: DUE + 500 })
  assertViolation(check([create, update], [delivery()], completed(1)), /should be live with revision 2/)
})

test('a write that was refused must not fire', () => {
  const refusal = { status: 400, code: 'INVALID_SCHEDULE', timerStatus: null }
  assertViolation(
    check([operation('create', 1_000, { outcome: 'refused', refusal })], [delivery()], null),
    /whose create was refused/,
  )
})

test('a duplicate needs a kill at the right moment', () => {
  const twice = [delivery(), delivery({ firedAt: DUE + 5_000 })]
  assertViolation(check([create], twice, completed()), /no kill explains it/)
  assertViolation(check([create], twice, completed(), [killAt(DUE - 1_000)]), /no kill explains it/)
  assertViolation(check([create], twice, completed(), [killAt(DUE + 3_000)]), /no kill explains it/)
  assertViolation(check([create], twice, completed(), [killAt(DUE + 6_000)]), /no kill explains it/)
  assert.deepEqual(check([create], twice, completed(), [killAt(DUE + 10)]).violations, [])
  assert.equal(check([create], twice, completed(), [killAt(DUE + 10)]).duplicates, 1)
})

test('a repeated attempt must keep its delivery id and its number', () => {
  const kills = [killAt(DUE + 1)]
  const cut = delivery({ reply: null })
  assertViolation(
    check([create], [cut, delivery({ firedAt: DUE + 900, id: 'd2' })], completed(), kills),
    /two delivery ids/,
  )
  assertViolation(
    check([create], [cut, delivery({ firedAt: DUE + 900, attempt: 2 })], completed(), kills),
    /no kill explains it/,
  )
})

test('a newer revision is not followed by an older one, even when the write was in doubt', () => {
  const update = operation('update', 2_000, { revision: 2, dueAt: DUE - 2_000, outcome: 'inDoubt' })
  const newer = delivery({ firedAt: DUE - 2_000, dueAt: DUE - 2_000, revision: 2, id: 'd2' })
  assertViolation(check([create, update], [newer, delivery()], completed(1)), /revision 1 fired after revision 2/)
})

test('a cycle that skips an iteration, leaves the grid or ends too soon is wrong', () => {
  const cycle = operation('create', 1_000, { cycle: { repetitions: 3, intervalMs: 1_000 } })
  const at = (iteration: number, shift = 0) => {
    const dueAt = DUE + (iteration - 1) * 1_000 + shift
    return delivery({ iteration, dueAt, firedAt: dueAt, id: `d${iteration}` })
  }
  assertViolation(check([cycle], [at(1), at(3)], completed()), /iteration 3 fired when only 1/)
  assertViolation(check([cycle], [at(1), at(2, 1), at(3)], completed()), /off the grid by 1 ms/)
  assertViolation(check([cycle], [at(1), at(2)], completed()), /2 iterations of 3/)
  assert.deepEqual(check([cycle], [at(1), at(2), at(3)], completed()).violations, [])
})

test('what is in doubt may have happened or not', () => {
  const cancel = operation('cancel', 2_000, { outcome: 'inDoubt' })
  assert.deepEqual(check([create, cancel], [delivery()], completed()).violations, [])
  assert.deepEqual(check([create, cancel], [], { status: 'canceled', revision: 1 }).violations, [])
  assert.deepEqual(check([operation('create', 1_000, { outcome: 'inDoubt' })], [], null).violations, [])
})

test('retries and times that the receiver asked for are in order', () => {
  const retried = [delivery({ reply: FAILING }), delivery({ firedAt: DUE + 200, attempt: 2 })]
  assert.deepEqual(check([create], retried, completed()).violations, [])
  const nextAt = DUE + 700
  const putOff = delivery({
    reply: { status: 200, body: { ok: false, nextExecuteAt: new Date(nextAt).toISOString() } },
  })
  const againAt = (dueAt: number) => delivery({ firedAt: dueAt, dueAt, id: 'd2' })
  assert.deepEqual(check([create], [putOff, againAt(nextAt)], completed()).violations, [])
  // The answer was read when that time was over.
  assert.deepEqual(check([create], [putOff, againAt(nextAt + 120)], completed()).violations, [])
  for (const wrong of [nextAt - 1, nextAt + 60_000])
    assertViolation(check([create], [putOff, againAt(wrong)], completed()), /nobody asked for/)
})

test('a time that the receiver asked for is kept, unless it was over when the answer was read', () => {
  const putOffTo = (at: number) =>
    delivery({ reply: { status: 200, body: { ok: false, nextExecuteAt: new Date(at).toISOString() } } })
  const retried = delivery({ firedAt: DUE + 300, attempt: 2 })
  assertViolation(check([create], [putOffTo(DUE + 900), retried], completed()), /no kill explains it/)
  assert.deepEqual(check([create], [putOffTo(DUE + 100), retried], completed()).violations, [])
})

test('a history reads as a story, with the kills that fell into it', () => {
  const { text } = check([create], [delivery()], completed(), [killAt(5_000), killAt(99_000)])
  assert.match(
    text,
    /create revision 1.*acknowledged[^]*KILLED[^]*delivered attempt 1 of d1[^]*in the end: completed, revision 1/,
  )
  assert.equal(text.match(/KILLED/g)?.length, 1)
})
