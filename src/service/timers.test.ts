import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { ANONYMOUS, NOBODY, Permission } from '../core/access/access.ts'
import type { NamespacePattern, Principal } from '../core/access/access.ts'
import type { CreateCommand } from '../core/rules/command.ts'
import { timerIdentity } from '../core/timer/ids.ts'
import { DEFAULT_RETRY } from '../core/rules/retry.ts'
import { parseSchedule } from '../core/time/schedule.ts'
import { CatchUp } from '../core/timer/timer.ts'
import type { Namespace, TimerId } from '../core/timer/timer.ts'
import { testEngine } from '../engine/test-engine.fixture.ts'
import { ManualClock } from '../runtime/clock/manual-clock.ts'
import { MemoryStore } from '../store/memory/memory-store.ts'
import { NoneTarget } from '../targets/none/none-target.ts'
import { TimerService } from './timer-service.ts'
import type { Timers } from './timers.ts'

const NAMESPACES = ['a', 'team.x', 'team.y', 'z']
const SCHEDULE = parseSchedule('PT1H', null)

function principal(permission: Permission, ...namespaces: readonly string[]): Principal {
  return {
    name: 'k',
    permissions: new Set([permission]),
    namespaces: namespaces as readonly NamespacePattern[],
    rateLimit: null,
  }
}

function create(namespace: string, id: string): CreateCommand {
  const target = { type: 'none' } as const
  const plain = { payload: null, metadata: null, traceparent: null, correlationId: null }
  const spec = {
    ...plain,
    schedule: SCHEDULE,
    catchUp: CatchUp.all,
    target,
    protocol: 'v1',
    retry: DEFAULT_RETRY,
    timeoutMs: 30_000,
  }
  return {
    type: 'create',
    ...timerIdentity(namespace as Namespace, id as TimerId),
    onConflict: 'replace',
    minLeadMs: 0,
    spec,
  }
}

/** Two timers in each of the namespaces. */
async function setup(t: TestContext): Promise<TimerService> {
  const [store, clock] = [new MemoryStore(), new ManualClock()]
  const engine = testEngine({ store, clock, targets: [new NoneTarget()] })
  await engine.start()
  t.after(() => engine.stop(0))
  const service = new TimerService({
    engine,
    store,
    clock,
    namespaces: [],
    refuseTarget: () => null,
    observer: { executed() {} },
  })
  await service.as(ANONYMOUS).executeMany(NAMESPACES.flatMap((one) => [create(one, '1'), create(one, '2')]))
  return service
}

async function listed(timers: Timers): Promise<string[]> {
  const { timers: found } = await timers.list({ filter: {}, after: null, limit: 100 })
  return found.map(({ namespace, id }) => `${namespace}/${id}`).toSorted()
}

const EVERYTHING = { filter: {}, sort: 'createdAt', descending: false, offset: 0, limit: 100 } as const
const SEARCH = { text: '1' as TimerId, sort: 'dueAt', descending: false, offset: 0, limit: 10 } as const
const forbidden = { code: 'FORBIDDEN' }
const name = (namespace: string) => timerIdentity(namespace as Namespace, '1' as TimerId)

test('who has no permission is refused everything', async (t) => {
  const timers = (await setup(t)).as(NOBODY)
  const calls: (() => unknown)[] = [
    () => timers.newIdentity('a' as Namespace),
    () => timers.execute(create('a', 'new')),
    () => timers.arrived().execute(create('a', 'new')),
    () => timers.executeMany([]),
    () => timers.changeMany('a' as Namespace, [], { keyOf: () => '', run: () => Promise.resolve() }),
    () => timers.get(name('a')),
    () => timers.list({ filter: {}, after: null, limit: 1 }),
    () => timers.page(EVERYTHING),
    () => timers.search(SEARCH),
    () => timers.forecast({ stepMs: 1_000, steps: 1 }),
    () => timers.sight(),
    () => timers.assertCallback({ type: 'none' }, 'a' as Namespace),
    () => timers.stats(),
    () => timers.statistics({ periodMs: null }),
    () => timers.cancelMany({}, { dryRun: true }),
    () => timers.retryMany({}, { dryRun: true }),
    () => timers.calendars.list('a' as Namespace),
    async () => timers.preview(SCHEDULE, { count: 1 }),
  ]
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(timers)).filter((one) => one !== 'constructor')
  assert.equal(calls.length, names.length, `a use case is missing here: ${names.join(', ')}`)
  for (const call of calls) await assert.rejects(async () => call(), forbidden, String(call))
})

test('calendars are changed by who may change timers of the namespace, and read by who may read them', async (t) => {
  const service = await setup(t)
  const [a, z] = ['a' as Namespace, 'z' as Namespace]
  const calendar = { name: 'c', timeZone: 'UTC', exclude: ['SUN'], allow: [] }
  const schedule = parseSchedule('@daily', null, { calendar: { name: 'c', onExcluded: 'skip' } })
  const changing = service.as(principal(Permission.timer, 'a')).calendars
  const reading = service.as(principal(Permission.read, 'a')).calendars
  await changing.put(a, calendar)
  assert.deepEqual([await reading.list(a), await reading.get(a, 'c')], [[calendar], calendar])
  assert.deepEqual([...(await reading.for(schedule, a))!.keys()], ['c'])
  const refused = [
    () => changing.list(z),
    () => changing.get(z, 'c'),
    () => changing.for(schedule, z),
    () => changing.put(z, calendar),
    () => changing.delete(z, 'c'),
    () => reading.put(a, calendar),
    () => reading.delete(a, 'c'),
  ]
  for (const call of refused) await assert.rejects(call, forbidden, String(call))
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(reading)).filter((one) => one !== 'constructor')
  assert.deepEqual(names.toSorted(), ['delete', 'for', 'get', 'list', 'put'])
})

test('a namespace that is named and not allowed is refused for everything', async (t) => {
  const timers = (await setup(t)).as(principal(Permission.timer, 'a', 'team.*'))
  const namespace = 'z' as Namespace
  await assert.rejects(timers.execute(create('z', '1')), forbidden)
  await assert.rejects(timers.get(name('z')), forbidden)
  await assert.rejects(timers.get(name('missing')), forbidden)
  await assert.rejects(timers.list({ filter: { namespace }, after: null, limit: 1 }), forbidden)
  await assert.rejects(timers.page({ ...EVERYTHING, filter: { namespace } }), forbidden)
  await assert.rejects(timers.search({ ...SEARCH, namespace }), forbidden)
  await assert.rejects(timers.forecast({ namespace, stepMs: 1_000, steps: 1 }), forbidden)
  assert.throws(() => timers.sight({ namespace }), forbidden)
  assert.throws(() => timers.assertCallback({ type: 'none' }, namespace), forbidden)
  await assert.rejects(timers.stats({ namespace }), forbidden)
  await assert.rejects(timers.statistics({ namespace, periodMs: null }), forbidden)
  await assert.rejects(timers.cancelMany({ namespace }, { dryRun: false }), forbidden)
  await assert.rejects(timers.retryMany({ namespace }, { dryRun: true }), forbidden)
})

test('without a namespace a key lists, counts and cancels in its own only', async (t) => {
  const service = await setup(t)
  const timers = service.as(principal(Permission.timer, 'a', 'team.*'))
  const mine = ['a/1', 'a/2', 'team.x/1', 'team.x/2', 'team.y/1', 'team.y/2']
  assert.deepEqual(await listed(timers), mine)
  assert.equal((await timers.page(EVERYTHING)).total, 6)
  assert.equal((await timers.search(SEARCH)).total, 3)
  assert.equal((await timers.forecast({ stepMs: 3_600_000, steps: 2 })).total, 6)
  assert.deepEqual(timers.sight(), { namespaces: ['a', 'team.*'], wholeNode: false })
  const { live, created } = await timers.statistics({ periodMs: null })
  assert.deepEqual([live, created.once], [6, 6])
  const { counts } = await timers.stats()
  assert.deepEqual(counts.map(({ namespace, count }) => `${namespace} ${count}`).toSorted(), [
    'a 2',
    'team.x 2',
    'team.y 2',
  ])
  assert.deepEqual(
    (await timers.stats({ namespace: 'team.x' as Namespace })).counts.map(({ count }) => count),
    [2],
  )
  assert.equal((await timers.cancelMany({}, { dryRun: true })).matched, 6)
  assert.equal((await timers.cancelMany({}, { dryRun: false })).changed, 6)
  const left = await service.as(ANONYMOUS).list({ filter: { statuses: ['pending'] }, after: null, limit: 100 })
  assert.deepEqual(
    left.timers.map(({ namespace }) => namespace),
    ['z', 'z'],
  )
})

test('a key without namespaces sees none', async (t) => {
  const timers = (await setup(t)).as(principal(Permission.timer))
  assert.deepEqual(await listed(timers), [])
  assert.deepEqual(await timers.page(EVERYTHING), { timers: [], total: 0 })
  assert.deepEqual(await timers.stats(), { counts: [] })
  assert.equal((await timers.cancelMany({}, { dryRun: false })).matched, 0)
})

test('who may only read can count what a cancel would do, and not do it', async (t) => {
  const timers = (await setup(t)).as(principal(Permission.read, 'a'))
  assert.equal((await timers.cancelMany({}, { dryRun: true })).matched, 2)
  await assert.rejects(timers.cancelMany({}, { dryRun: false }), forbidden)
  await assert.rejects(timers.executeMany([create('a', 'new')]), forbidden)
  assert.equal((await timers.get(name('a'))).status, 'pending')
  await assert.rejects(timers.get(name('a'), { secrets: true }), forbidden)
})

test('of many creates those outside the namespaces are refused alone', async (t) => {
  const service = await setup(t)
  const results = await service
    .as(principal(Permission.timer, 'a'))
    .executeMany([create('a', 'new'), create('z', 'new')])
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected'],
  )
  await assert.rejects(service.as(ANONYMOUS).get(timerIdentity('z' as Namespace, 'new' as TimerId)), {
    code: 'TIMER_NOT_FOUND',
  })
})
