import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer, Arrival, FaultRecord, History, Operation } from '../history.ts'
import { EPOCH } from '../world/node-clock.ts'
import { check } from './check.ts'
import type { PromiseName } from './verdict.ts'

const TIMER = 'default/t'
const DUE = 5_000
const ID = `${'0'.repeat(32)}-created-1`
const BEHAVIOUR = { type: 'ok', answerMs: 1, failures: 0, byMs: 0 } as const

let numbers = 0

function answer(version: number, more: Partial<Answer> = {}): Answer {
  const times = { dueWall: EPOCH + DUE, createdWall: EPOCH + 1_000 }
  return { version, status: 'pending', revision: 1, ...times, iteration: 1, changed: true, ...more }
}

function operation(type: Operation['type'], at: number, more: Partial<Operation> = {}): Operation {
  const isWrite = type === 'create' || type === 'update'
  return {
    number: ++numbers,
    timer: TIMER,
    type,
    contract: 'v1',
    revision: isWrite ? 1 : null,
    wish: isWrite ? { type: 'instant', atWall: EPOCH + DUE } : null,
    retry: isWrite ? { maxAttempts: 2, initialMs: 1_000 } : null,
    timeoutMs: 1_000,
    ifVersion: null,
    node: 'n1#1',
    sentAt: at,
    endedAt: at + 5,
    outcome: 'done',
    code: null,
    refusedStatus: null,
    refusedVersion: null,
    answer: answer(1),
    ...more,
  }
}

function arrival(at: number, more: Partial<Arrival> = {}): Arrival {
  return {
    timer: TIMER,
    node: 'n1#1',
    startedAt: at,
    startedWall: EPOCH + at,
    deliveryId: ID,
    attempt: 1,
    revision: 1,
    dueWall: EPOCH + DUE,
    iteration: null,
    isTriggered: false,
    behaviour: BEHAVIOUR,
    answeredAt: at + 2,
    answered: 'ok',
    rescheduledToWall: null,
    ...more,
  }
}

function historyOf(
  operations: readonly Operation[],
  arrivals: readonly Arrival[],
  final: Partial<Answer> | null,
  more: Partial<History> = {},
): History {
  const last =
    final === null ? null : { ...answer(2, { status: 'completed', changed: false, ...final }), nextWall: EPOCH }
  return {
    seed: 1,
    operations,
    arrivals,
    faults: [],
    events: [],
    owners: [{ at: 0, shard: 0, owner: 'n1#1' }],
    shardsOf: new Map([[TIMER, [0]]]),
    excesses: [],
    fatal: [],
    healedAt: 20_000,
    final: {
      at: 30_000,
      atWall: EPOCH + 30_000,
      timers: new Map([[TIMER, last]]),
      unopenedShards: [],
      counts: { counted: new Map(), stored: new Map() },
      eventsLeft: 0,
    },
    settings: {
      leaseMs: 5_000,
      retentionMs: { default: 3_600_000 },
      withEvents: false,
      isSkewed: false,
      isCalm: false,
      isOnlyTargets: false,
      hasRoomForAll: true,
    },
    ...more,
  }
}

function assertBroken(history: History, promise: PromiseName, text: RegExp): void {
  const found = check(history).filter((violation) => violation.promise === promise)
  assert.match(found.map((violation) => violation.text).join('\n'), text)
}

const create = operation('create', 1_000)

test('a timer that was created, delivered when it was due and completed breaks nothing', () => {
  assert.deepEqual(check(historyOf([create], [arrival(DUE)], {})), [])
})

test('an acknowledged timer that never fired is lost, and so is one that nobody knows any more', () => {
  assertBroken(historyOf([create], [], { version: 1, status: 'pending' }), 'lost', /never delivered/)
  assertBroken(historyOf([create], [], null), 'lost', /not there any more/)
  assertBroken(historyOf([create], [arrival(DUE, { answered: 'failed' })], {}), 'lost', /no delivery/)
})

test('a timer that is due and waits when all faults are over is stuck', () => {
  const waiting = { version: 1, status: 'executing' }
  assertBroken(historyOf([create], [arrival(DUE, { answered: 'failed' })], waiting), 'live', /is executing in the end/)
})

test('a millisecond early is early, and so is a due time that nobody asked for', () => {
  const early = arrival(DUE - 1)
  assertBroken(historyOf([create], [early], {}), 'early', /1 ms before it was due/)
  assertBroken(historyOf([create], [arrival(DUE, { dueWall: EPOCH + DUE - 7 })], {}), 'early', /nobody asked for/)
})

test('a retry that does not wait for its policy is early', () => {
  const failed = arrival(DUE, { answered: 'failed' })
  const tooSoon = arrival(DUE + 500, { attempt: 2 })
  assertBroken(historyOf([create], [failed, tooSoon], {}), 'early', /its policy says 1000 ms/)
  assert.deepEqual(check(historyOf([create], [failed, arrival(DUE + 1_010, { attempt: 2 })], {})), [])
})

test('a delivery that starts after its cancel was acknowledged, or shown to a reader, breaks finality', () => {
  const canceled = answer(2, { status: 'canceled' })
  const cancel = operation('cancel', 2_000, { answer: canceled })
  assertBroken(historyOf([create, cancel], [arrival(DUE)], { status: 'canceled' }), 'final', /had been acknowledged/)
  const lost = operation('cancel', 2_000, { outcome: 'unknown', answer: null })
  const get = operation('get', 3_000, { answer: { ...canceled, changed: false } })
  assertBroken(historyOf([create, lost, get], [arrival(DUE)], { status: 'canceled' }), 'final', /had shown/)
  assert.deepEqual(check(historyOf([create, lost], [arrival(DUE)], {})), [])
})

test('a delivery while the timer is paused breaks finality', () => {
  const pause = operation('pause', 2_000, { answer: answer(2, { status: 'paused' }) })
  assertBroken(historyOf([create, pause], [arrival(DUE)], { status: 'paused' }), 'final', /while paused/)
})

test('a write that was refused must not fire', () => {
  const refused = operation('create', 1_000, { outcome: 'refused', code: 'UNAVAILABLE', answer: null })
  assertBroken(historyOf([refused], [arrival(DUE)], null), 'durable', /was refused/)
})

test('a delivery that comes again needs a fault that explains it', () => {
  const twice = [arrival(DUE), arrival(DUE + 3_000)]
  assertBroken(historyOf([create], twice, {}), 'once', /nothing explains it/)
  const crash: FaultRecord = { kind: 'crash', at: DUE + 1, until: DUE + 1, node: 'n1#1', about: 'n1#1 dies' }
  assert.deepEqual(check(historyOf([create], twice, {}, { faults: [crash] })), [])
  const elsewhere = { ...crash, node: 'n2#1' }
  assertBroken(historyOf([create], twice, {}, { faults: [elsewhere] }), 'once', /nothing explains it/)
})

test('a delivery of a node that does not own the timer is noticed', () => {
  const owners = [{ at: 2_000, shard: 0, owner: 'n2#1' }]
  assertBroken(historyOf([create], [arrival(DUE)], {}, { owners }), 'owner', /n2#1 owned the timer/)
})

test('versions that go back, or that two changes share, are not one order of events', () => {
  const update = operation('update', 2_000, { revision: 2, answer: answer(1, { revision: 2 }) })
  assertBroken(historyOf([create, update], [], { version: 1 }), 'linear', /both made version 1/)
  const later = operation('get', 3_000, { answer: answer(1, { changed: false }) })
  const newer = operation('update', 2_000, { revision: 2, answer: answer(2, { revision: 2 }) })
  assertBroken(historyOf([create, newer, later], [], {}), 'linear', /had 2 before/)
})

test('shards without an owner, values above their limits and wrong counts are noticed', () => {
  const base = historyOf([create], [arrival(DUE)], {})
  assertBroken({ ...base, final: { ...base.final, unopenedShards: ['shard 0 is not open'] } }, 'live', /not open/)
  const excess = { node: 'n1#1', at: 1, what: 'timers in memory', value: 9, limit: 8 }
  assertBroken({ ...base, excesses: [excess] }, 'bounded', /9 timers in memory/)
  const counts = { counted: new Map([['default pending', 2]]), stored: new Map([['default pending', 1]]) }
  assertBroken({ ...base, final: { ...base.final, counts } }, 'counters', /2 timers are counted/)
})
