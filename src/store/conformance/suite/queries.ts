// What every store must do about pages, counts by kind, tallies and the near future. Part of the suite in conformance.ts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NamespacePattern } from '../../../core/access/access.ts'
import { STANDING } from '../../../core/statistics/tallies.ts'
import { NEVER, Status } from '../../../core/timer/timer.ts'
import type { JsonText, Namespace, Timer, TimerId } from '../../../core/timer/timer.ts'
import { changed, countsOf } from '../owned-store.ts'
import type { Owned, Setup } from '../owned-store.ts'
import { SAMPLE_NOW, sampleTimer } from '../sample-timer.ts'
import type { Counter, PageFilter, PageQuery } from '../../store.ts'

const LATER = SAMPLE_NOW + 5_000
const OTHER = 'other' as Namespace
const CYCLE = { schedule: 'R3/PT10M', anchorAt: SAMPLE_NOW }
const ENDLESS = { schedule: 'R/PT10M', anchorAt: SAMPLE_NOW }

export function storeQueries(name: string, setup: Setup): void {
  pages(name, setup)
  counts(name, setup)
  counters(name, setup)
  nearFuture(name, setup)
}

function pages(name: string, setup: Setup): void {
  test(`${name}: a page has what matches all of its filters, and the total of it`, async (t) => {
    const owned = await setup(t)
    await owned.add(...sampleOfAll())
    const cases: [PageFilter, string][] = [
      [{}, 'a b c d e f g'],
      [{ namespace: OTHER }, 'b f'],
      [{ namespace: 'nobody' as Namespace }, ''],
      [{ namespaces: [] }, ''],
      [{ namespaces: patterns('o*') }, 'b f'],
      [{ namespaces: patterns('o*', 'default') }, 'a b c d e f g'],
      [{ namespaces: patterns('default'), namespace: OTHER }, ''],
      [{ statuses: [] }, ''],
      [{ statuses: [Status.pending] }, 'a b c g'],
      [{ statuses: [Status.failed, Status.paused] }, 'd e'],
      [{ statuses: [Status.canceled], namespace: OTHER }, 'f'],
      [{ statuses: [Status.completed] }, ''],
      [{ kind: 'once' }, 'a b d e f'],
      [{ kind: 'cycle' }, 'c g'],
      [{ kind: 'cycle', statuses: [Status.canceled] }, ''],
      [{ kind: 'once', namespace: OTHER, statuses: [Status.pending, Status.executing] }, 'b'],
    ]
    for (const [filter, ids] of cases) await assertPage(owned, filter, ids)
  })

  test(`${name}: a page by metadata compares values with their types, however long they are`, async (t) => {
    const owned = await setup(t)
    const long = `${'é'.repeat(120)}1`
    const entries = [
      '{"k":"1"}',
      '{"k":1}',
      '{"k":true}',
      '{"k":null}',
      `{"k":"${long}"}`,
      `{"k":"${long.slice(0, -1)}2"}`,
      '["k"]',
      '{"x":{"k":1}}',
    ]
    await owned.add(
      ...entries.map((metadata, i) =>
        sampleTimer({
          id: `m${i}` as TimerId,
          dueAt: LATER + i,
          createdAt: SAMPLE_NOW + i,
          metadata: metadata as JsonText,
        }),
      ),
    )
    const cases: [PageFilter, string][] = [
      [{ metadataKey: 'k' }, 'm0 m1 m2 m3 m4 m5'],
      [{ metadataKey: 'x' }, 'm7'],
      [{ metadataKey: 'none' }, ''],
      [{ metadataKey: 'k', metadataValues: [] }, ''],
      [{ metadataKey: 'k', metadataValues: ['1'] }, 'm0'],
      [{ metadataKey: 'k', metadataValues: [1] }, 'm1'],
      [{ metadataKey: 'k', metadataValues: ['1', 1, true] }, 'm0 m1 m2'],
      [{ metadataKey: 'k', metadataValues: [false, 'null', 0] }, ''],
      [{ metadataKey: 'k', metadataValues: [long] }, 'm4'],
      [{ metadataKey: 'k', metadataValues: ['1'], namespace: OTHER }, ''],
      [{ metadataKey: 'k', metadataValues: ['1', 1], statuses: [Status.pending], kind: 'once' }, 'm0 m1'],
    ]
    for (const [filter, ids] of cases) await assertPage(owned, filter, ids)
  })

  test(`${name}: a page by metadata follows changes and pruning`, async (t) => {
    const owned = await setup(t)
    const first = sampleTimer({ metadata: '{"a":1,"b":2}' as JsonText })
    const second = { ...first, version: 2, metadata: '{"b":3}' as JsonText }
    const gone = { ...second, version: 3, status: Status.canceled, wakeAt: LATER }
    await owned.add(first)
    await owned.put(changed(second, first))
    await assertPage(owned, { metadataKey: 'a' }, '')
    await assertPage(owned, { metadataKey: 'b', metadataValues: [2] }, '')
    await assertPage(owned, { metadataKey: 'b', metadataValues: [3] }, 'sample')
    await owned.put(changed(gone, second))
    await owned.prune({ now: LATER + 1, limit: 10 })
    await assertPage(owned, { metadataKey: 'b' }, '')
  })

  test(`${name}: pages are in the order asked for, by time and then by uuid, none skipped and none twice`, async (t) => {
    const owned = await setup(t)
    const timers = Array.from({ length: 23 }, (_, i) => {
      const status = i % 3 === 0 ? Status.completed : i % 5 === 0 ? Status.paused : Status.pending
      const dueAt = LATER + (i % 4)
      const wakeAt = status === Status.paused ? NEVER : status === Status.completed ? LATER + 7 * i : dueAt + (i % 2)
      return sampleTimer({
        id: `t${i}` as TimerId,
        status,
        dueAt,
        wakeAt,
        createdAt: SAMPLE_NOW + (i % 7),
        namespace: i % 2 === 0 ? OTHER : ('default' as Namespace),
      })
    })
    await owned.add(...timers)
    for (const sort of ['createdAt', 'dueAt'] as const) {
      const ordered = timers.toSorted((a, b) => a[sort] - b[sort] || (a.uuid < b.uuid ? -1 : 1)).map(({ id }) => id)
      for (const limit of [1, 5, 30]) {
        assert.deepEqual(await allPages(owned, { sort, descending: false, limit }), ordered)
        assert.deepEqual(await allPages(owned, { sort, descending: true, limit }), ordered.toReversed())
      }
    }
    assert.deepEqual(await owned.store.page(query({}, { offset: 23 })), { timers: [], total: 23 })
    assert.deepEqual(await owned.store.page(query({}, { limit: 0 })), { timers: [], total: 23 })
  })
}

function counts(name: string, setup: Setup): void {
  test(`${name}: counters tell kinds apart and follow a timer from one kind to another`, async (t) => {
    const owned = await setup(t)
    const [once, limited, endless] = [
      sampleTimer(),
      sampleTimer({ id: 'l' as TimerId, ...CYCLE }),
      sampleTimer({ id: 'e' as TimerId, ...ENDLESS }),
    ]
    await owned.add(once, limited, endless)
    assert.deepEqual(await countsOf(owned.store), [
      'default pending 1',
      'default pending infinite 1',
      'default pending limited 1',
    ])
    await owned.put(
      changed({ ...once, ...ENDLESS, version: 2 }, once),
      changed({ ...limited, version: 2, status: Status.canceled, wakeAt: LATER }, limited),
    )
    assert.deepEqual(await countsOf(owned.store), ['default canceled limited 1', 'default pending infinite 2'])
    await owned.prune({ now: LATER + 1, limit: 10 })
    assert.deepEqual(await countsOf(owned.store), ['default pending infinite 2'])
  })
}

function counters(name: string, setup: Setup): void {
  const counter = (of: string, slotAt: number, amount = 1, namespace = 'default'): Counter => {
    return { namespace: namespace as Namespace, name: of, slotAt, amount }
  }

  test(`${name}: counters are added up by slot, or as they stand`, async (t) => {
    const owned = await setup(t)
    await owned.count(counter('a', 600_000), counter('b', 1_200_000, 5), counter('a', STANDING), counter('s', STANDING))
    assert.deepEqual(await sums(owned, { since: null }), ['a 1', 's 1'])
    assert.deepEqual(await sums(owned, { since: 600_000 }), ['a 1', 'b 5'])
    assert.deepEqual(await sums(owned, { since: 600_001 }), ['b 5'])
    assert.equal((await owned.store.tallies({ since: 1 })).firstSlotAt, 600_000)
    assert.equal((await owned.store.tallies({ since: null })).firstSlotAt, null)
    await owned.count(counter('a', 600_000, 2), counter('s', STANDING, -1))
    assert.deepEqual(await sums(owned, { since: null }), ['a 1'])
    assert.deepEqual(await sums(owned, { since: 1 }), ['a 3', 'b 5'])
  })

  test(`${name}: counters are those whose names begin as asked for`, async (t) => {
    const owned = await setup(t)
    await owned.count(
      counter('z.a', STANDING),
      counter('z.b', STANDING, 2),
      counter('z', STANDING),
      counter('y.a', STANDING),
    )
    await owned.count(counter('z.a', STANDING, 1, 'other'), counter('z.a', 600_000, 5))
    assert.deepEqual(await sums(owned, { since: null, prefix: 'z.' }), ['z.a 2', 'z.b 2'])
    assert.deepEqual(await sums(owned, { since: null, prefix: 'z.', namespace: OTHER }), ['z.a 1'])
    assert.deepEqual(await sums(owned, { since: 1, prefix: 'z.' }), ['z.a 5'])
    assert.deepEqual(await sums(owned, { since: 1, prefix: 'y.' }), [])
  })

  test(`${name}: counters are those of the namespaces asked for`, async (t) => {
    const owned = await setup(t)
    for (const namespace of ['team', 'team.a', 'teams', 'zz'])
      await owned.count(counter(namespace, STANDING, 1, namespace))
    assert.deepEqual(await sums(owned, { since: null }), ['team 1', 'team.a 1', 'teams 1', 'zz 1'])
    assert.deepEqual(await sums(owned, { since: null, namespace: 'team' as Namespace }), ['team 1'])
    assert.deepEqual(await sums(owned, { since: null, namespaces: patterns('team*', 'team.*', 'nobody') }), [
      'team 1',
      'team.a 1',
      'teams 1',
    ])
    assert.deepEqual(await sums(owned, { since: null, namespaces: patterns('zz'), namespace: 'team' as Namespace }), [])
    assert.deepEqual(await sums(owned, { since: null, namespaces: [] }), [])
  })

  test(`${name}: old slots are forgotten, what stands stays`, async (t) => {
    const owned = await setup(t)
    await owned.count(counter('a', 600_000), counter('a', 1_200_000), counter('a', STANDING, 2))
    await owned.store.forgetCounters(1_200_000)
    assert.deepEqual(await sums(owned, { since: 1 }), ['a 1'])
    assert.deepEqual(await sums(owned, { since: null }), ['a 2'])
  })
}

function nearFuture(name: string, setup: Setup): void {
  test(`${name}: the near future is counted by steps of wake time, live timers only`, async (t) => {
    const owned = await setup(t)
    await owned.add(...sampleOfAll())
    const upcoming = async (more: object) =>
      (await owned.store.upcoming({ until: LATER + 1_000, stepMs: 1_000, ...more })).steps
    const step = LATER / 1_000
    assert.deepEqual(await upcoming({}), [
      { step, count: 3 },
      { step: step + 1, count: 1 },
    ])
    assert.deepEqual(await upcoming({ until: LATER }), [{ step, count: 1 }])
    assert.deepEqual(await upcoming({ namespace: OTHER }), [{ step, count: 1 }])
    assert.deepEqual(await upcoming({ namespaces: patterns('d*') }), [
      { step, count: 2 },
      { step: step + 1, count: 1 },
    ])
    assert.deepEqual(await upcoming({ namespaces: [] }), [])
  })
}

/** One of each status, two namespaces, some cycles; in the order of their due and their creation times. */
function sampleOfAll(): Timer[] {
  const timer = (id: string, at: number, changes: Partial<Timer> = {}): Timer => {
    return sampleTimer({ id: id as TimerId, dueAt: LATER + at, createdAt: SAMPLE_NOW + at, ...changes })
  }
  return [
    timer('a', 0),
    timer('b', 1, { namespace: OTHER }),
    timer('c', 2, { ...CYCLE, wakeAt: LATER + 30 }),
    timer('d', 3, { status: Status.paused, wakeAt: NEVER, timeZone: 'Europe/Vienna' }),
    timer('e', 4, { status: Status.failed, wakeAt: LATER }),
    timer('f', 5, { status: Status.canceled, wakeAt: LATER + 5, namespace: OTHER }),
    timer('g', 1_000, ENDLESS),
  ]
}

function query(filter: PageFilter, more: Partial<PageQuery> = {}): PageQuery {
  return { filter, sort: 'dueAt', descending: false, offset: 0, limit: 100, ...more }
}

async function assertPage(owned: Owned, filter: PageFilter, ids: string): Promise<void> {
  for (const sort of ['dueAt', 'createdAt'] as const) {
    const { timers, total } = await owned.store.page(query(filter, { sort }))
    assert.equal(timers.map(({ id }) => id).join(' '), ids, `${JSON.stringify(filter)} by ${sort}`)
    assert.equal(total, timers.length)
  }
}

async function allPages(owned: Owned, more: Partial<PageQuery> & { readonly limit: number }): Promise<string[]> {
  const ids: string[] = []
  for (let offset = 0; ; offset += more.limit) {
    const { timers, total } = await owned.store.page(query({}, { ...more, offset }))
    ids.push(...timers.map(({ id }) => id))
    if (ids.length >= total) return ids
  }
}

async function sums(owned: Owned, scope: Parameters<Owned['store']['tallies']>[0]): Promise<string[]> {
  return (await owned.store.tallies(scope)).sums.map(({ name, amount }) => `${name} ${amount}`).toSorted()
}

function patterns(...texts: string[]): readonly NamespacePattern[] {
  return texts as NamespacePattern[]
}
