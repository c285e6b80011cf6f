// Pages when there are too many timers to sort, which no other test has: the limit is set to nothing here.

import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import fc from 'fast-check'
import type { NamespacePattern } from '../../../core/access/access.ts'
import { isFinished, NEVER, Status } from '../../../core/timer/timer.ts'
import type { JsonText, Namespace, Timer, TimerId } from '../../../core/timer/timer.ts'
import { kindOf } from '../../../core/timer/timer-kind.ts'
import { SAMPLE_NOW, sampleTimer } from '../../conformance/sample-timer.ts'
import type { PageFilter, PageQuery, TimerPage } from '../../store.ts'
import { countName, COUNTS } from '../../counters.ts'
import { matchesPage } from '../../queries/filter.ts'
import { timersOf } from '../../row/timer-row.ts'
import { MetadataEntries } from './metadata-entries.ts'
import { migrate } from '../file/migrations.ts'
import { Pager } from './pager.ts'
import { pagePlan, SORTED_MAX } from './page-plan.ts'
import type { PageFacts, PlannedStatement } from './page-plan.ts'
import { ShardRows } from '../shard-rows.ts'
import { INSERT_SQL, rowValues } from '../statements.ts'
import { Counters } from '../counters.ts'

const STATUSES = Object.values(Status)

/** All kinds of timers in many namespaces and some shards, with few different times. */
function manyTimers(namespaces: number): Timer[] {
  return Array.from({ length: 400 }, (_, i) => {
    const status = STATUSES[(i * 7) % STATUSES.length]!
    const dueAt = SAMPLE_NOW + ((i * 13) % 17)
    const wakeAt =
      status === Status.paused ? NEVER : isFinished({ status }) ? SAMPLE_NOW + (i % 29) : dueAt + (i % 3 === 0 ? 5 : 0)
    return sampleTimer({
      namespace: `ns.${i % namespaces}` as Namespace,
      id: `t${i}` as TimerId,
      status,
      dueAt,
      wakeAt,
      createdAt: SAMPLE_NOW + (i % 23),
      ...(i % 4 === 0 && { schedule: i % 8 === 0 ? 'R/PT1H' : 'R3/PT1H', anchorAt: SAMPLE_NOW }),
      timeZone: i % 6 === 0 ? 'Europe/Vienna' : null,
      metadata: (i % 5 === 0 ? `{"k":${i % 3}}` : null) as JsonText | null,
    })
  })
}

function databaseWith(timers: readonly Timer[]): DatabaseSync {
  const db = new DatabaseSync(':memory:')
  migrate(db)
  const [insert, counts, metadata, shards] = [
    db.prepare(INSERT_SQL),
    new Counters(db),
    new MetadataEntries(db),
    new ShardRows(db),
  ]
  for (const shard of [0, 1, 2])
    shards.claim({ shard: shard as never, expected: 0 as never, from: null, owner: 'test' })
  for (const [index, timer] of timers.entries()) {
    insert.run(...rowValues(timer, index % 3))
    counts.add([timer.namespace, COUNTS, countName(timer.status, kindOf(timer)), 1])
    metadata.replace({ namespace: timer.namespace, uuid: timer.uuid, before: null, after: timer.metadata })
  }
  return db
}

const filter = fc.record(
  {
    namespace: fc.constantFrom('ns.1', 'ns.2', 'none') as fc.Arbitrary<Namespace>,
    namespaces: fc.uniqueArray(fc.constantFrom('ns.*', 'ns.1*', 'ns.2', '*')) as fc.Arbitrary<string[]> as fc.Arbitrary<
      NamespacePattern[]
    >,
    statuses: fc.uniqueArray(fc.constantFrom(...STATUSES)),
    kind: fc.constantFrom('once', 'cycle'),
    metadataKey: fc.constantFrom('k', 'none'),
    metadataValues: fc.uniqueArray(fc.constantFrom(0, 1, '1')),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<unknown> as fc.Arbitrary<PageFilter>

const query = fc.record({
  filter,
  sort: fc.constantFrom('createdAt', 'dueAt'),
  descending: fc.boolean(),
  offset: fc.nat({ max: 410 }),
  limit: fc.integer({ min: 1, max: 30 }),
}) as fc.Arbitrary<PageQuery>

function pageOf(timers: readonly Timer[], { filter: by, sort, descending, offset, limit }: PageQuery): TimerPage {
  const matching = timers
    .filter((timer) => matchesPage(timer, by))
    .toSorted((a, b) => a[sort] - b[sort] || (a.uuid < b.uuid ? -1 : 1))
  if (descending) matching.reverse()
  return { timers: matching.slice(offset, offset + limit), total: matching.length }
}

for (const namespaces of [3, 250]) {
  test(`pages of many timers in ${namespaces} namespaces are the same, whether sorted or read in order`, () => {
    const timers = manyTimers(namespaces)
    const db = databaseWith(timers)
    const [sorting, ordering] = [new Pager(db), new Pager(db, { sortedMax: 0 })]
    const property = fc.property(query, (one) => {
      const expected = pageOf(timers, one)
      for (const pager of [sorting, ordering]) {
        const { cells, total } = pager.page(one)
        assert.deepEqual(
          timersOf(cells).map(({ id }) => id),
          expected.timers.map(({ id }) => id),
        )
        assert.equal(total, expected.total)
      }
    })
    fc.assert(property, { numRuns: 300 })
    db.close()
  })
}

test('what a page costs grows with the number of its namespaces, not with its square', () => {
  const [some, many] = [500, 2_000].map((namespaces) => workOfPage(namespaces, {}))
  assert.ok(many! < 6 * some!, `${some} for 500 namespaces, ${many} for 2,000`)
})

test('what a page costs does not grow with the namespaces of others', () => {
  for (const mine of [{ namespace: 'mine' as Namespace }, { namespaces: ['min*'] as string[] as NamespacePattern[] }]) {
    assert.equal(workOfPage(2_000, mine), workOfPage(500, mine))
  }
})

/** Bytes bound and rows read, over all statements of a page by creation. Each namespace has one timer. */
function workOfPage(namespaces: number, asked: PageFilter): number {
  const others = Array.from({ length: namespaces }, (_, i) => {
    return sampleTimer({ namespace: `ns.${i}` as Namespace, id: 't' as TimerId, createdAt: SAMPLE_NOW + i })
  })
  const db = databaseWith([...others, sampleTimer({ namespace: 'mine' as Namespace })])
  const counted = new CountedDatabase(db)
  const isOfAll = Object.keys(asked).length === 0
  // Those of all are taken for too many to sort.
  const pager = new Pager(counted.database, isOfAll ? { sortedMax: 0 } : {})
  const { cells } = pager.page({
    filter: asked,
    sort: 'createdAt',
    descending: true,
    offset: isOfAll ? 20 : 0,
    limit: 20,
  })
  assert.equal(timersOf(cells).length, isOfAll ? 20 : 1)
  db.close()
  return counted.work
}

/** Passes everything on and adds up what goes in and comes out. */
class CountedDatabase {
  work = 0
  readonly database: DatabaseSync

  constructor(db: DatabaseSync) {
    const prepare = (sql: string) => {
      const statement = db.prepare(sql)
      const count = <T>(values: readonly unknown[], answer: T, rows: number): T => {
        this.work += JSON.stringify(values).length + 100 * rows
        return answer
      }
      return {
        setReturnArrays: (on: boolean) => statement.setReturnArrays(on),
        get: (...values: never[]) => count(values, statement.get(...values), 1),
        all: (...values: never[]) => {
          const rows = statement.all(...values)
          return count(values, rows, rows.length)
        },
      }
    }
    this.database = { prepare, exec: (sql: string) => db.exec(sql) } as unknown as DatabaseSync
  }
}

test('no plan reads all timers: each goes by an index', () => {
  const db = databaseWith(manyTimers(3))
  const many = 10 * SORTED_MAX
  const large: PageFacts = {
    shards: [0],
    namespaces: ['ns.0', 'ns.1'],
    allNamespaces: false,
    timers: many,
    cycles: many,
    ofStatuses: many,
    live: () => many,
    finished: () => many,
    total: many,
    metadata: null,
  }
  const facts: PageFacts[] = [large, { ...large, allNamespaces: true }]
  for (const few of ['timers', 'cycles', 'ofStatuses', 'metadata'] as const) facts.push({ ...large, [few]: 10 })
  for (const few of ['live', 'finished'] as const) facts.push({ ...large, [few]: () => 10 })
  facts.push({ ...large, namespaces: ['ns.0'] })
  const statuses = [undefined, [Status.pending], [Status.completed], [Status.failed, Status.canceled], STATUSES]
  let plans = 0
  for (const one of facts) {
    for (const some of statuses) {
      for (const kind of [undefined, 'once', 'cycle'] as const) {
        for (const sort of ['createdAt', 'dueAt'] as const) {
          const metadata = one.metadata === null ? {} : { metadataKey: 'k', metadataValues: [1, '1'] }
          const asked: PageFilter = { ...(some && { statuses: some }), ...(kind && { kind }), ...metadata }
          for (const [name, { sql, values }] of Object.entries<PlannedStatement>(
            pagePlan({ filter: asked, sort, descending: true, offset: 40, limit: 20 }, one),
          )) {
            const steps = db
              .prepare(`EXPLAIN QUERY PLAN ${sql}`)
              .all(values)
              .map((row) => row['detail'] as string)
            assert.ok(
              steps.some((step) => step.startsWith('SEARCH timers USING ')),
              steps.join('\n'),
            )
            assert.ok(!steps.some((step) => step.startsWith('SCAN timer')), `${sql}\n${steps.join('\n')}`)
            // What is read in order is not sorted, but for those that have the very same time.
            const isOrdered = name !== 'heads' && (one === large || one === facts[1])
            if (isOrdered)
              assert.ok(!steps.some((step) => /TEMP B-TREE FOR ORDER BY/.test(step)), `${sql}\n${steps.join('\n')}`)
            plans++
          }
        }
      }
    }
  }
  assert.ok(plans >= 200)
  db.close()
})
