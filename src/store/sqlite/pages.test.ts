// Pages when there are too many timers to sort, which no other test has: the limit is set to nothing here.

import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import fc from 'fast-check'
import type { NamespacePattern } from '../../core/access/access.ts'
import { Status } from '../../core/timer/timer.ts'
import type { Namespace, Timer, TimerId } from '../../core/timer/timer.ts'
import { kindOf } from '../../core/timer/timer-kind.ts'
import { SAMPLE_NOW, sampleTimer } from '../conformance/sample-timer.ts'
import type { PageFilter, PageQuery, TimerPage } from '../store.ts'
import { countName, COUNTS } from '../counters.ts'
import { matchesPage } from '../queries/filter.ts'
import { timersOf } from '../row/timer-row.ts'
import { ADD_ON_CONFLICT, insertCounter } from '../sql/counter-sql.ts'
import { entriesOf, insertEntry } from '../sql/questions/metadata-entries.ts'
import { orderedQuery, page, sortedQuery } from '../sql/pages/page.ts'
import { pagePlan, SORTED_MAX } from '../sql/pages/page-plan.ts'
import type { PageFacts } from '../sql/pages/page-plan.ts'
import { mergeRuns } from '../sql/pages/run-merge.ts'
import { answer } from '../sql/statement.ts'
import type { Query, Question } from '../sql/statement.ts'
import { insertTimer, rowValues } from '../sql/timer-sql.ts'
import { SQLITE } from './dialect.ts'
import { migrate } from './file/migrations.ts'
import { Prepared } from './prepared.ts'
import { ShardRows } from './shard-rows.ts'
import { manyTimers, pageQueries, STATUSES } from '../conformance/many-timers.ts'

function databaseWith(timers: readonly Timer[]): DatabaseSync {
  const db = new DatabaseSync(':memory:')
  migrate(db)
  const [insert, counts, metadata, shards] = [
    db.prepare(insertTimer(SQLITE)),
    db.prepare(insertCounter(SQLITE) + ADD_ON_CONFLICT),
    db.prepare(insertEntry(SQLITE)),
    new ShardRows(db),
  ]
  for (const shard of [0, 1, 2])
    shards.claim({ shard: shard as never, expected: 0 as never, from: null, owner: 'test' })
  for (const [index, timer] of timers.entries()) {
    insert.run(...rowValues(timer, index % 3))
    counts.run(timer.namespace, COUNTS, countName(timer.status, kindOf(timer)), 1)
    for (const entry of entriesOf(timer.metadata)) metadata.run(...entry, timer.namespace, timer.uuid)
  }
  return db
}

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
    const prepared = new Prepared(db)
    const property = fc.property(pageQueries, (one) => {
      const expected = pageOf(timers, one)
      for (const sortedMax of [SORTED_MAX, 0]) {
        const { cells, total } = answer(page(SQLITE, one, sortedMax), (asked) => prepared.rows(asked))
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
  const prepared = new Prepared(db)
  const isOfAll = Object.keys(asked).length === 0
  const sorted = { sort: 'createdAt', descending: true, offset: isOfAll ? 20 : 0, limit: 20 } as const
  let work = 0
  // Those of all are taken for too many to sort.
  const question = page(SQLITE, { filter: asked, ...sorted }, isOfAll ? 0 : SORTED_MAX)
  const { cells } = answer(question, (one) => {
    const rows = prepared.rows(one)
    work += JSON.stringify(one.values).length + 100 * rows.length
    return rows
  })
  assert.equal(timersOf(cells).length, isOfAll ? 20 : 1)
  db.close()
  return work
}

test('no plan reads all timers: each goes by an index', () => {
  const db = databaseWith(manyTimers(3))
  const many = 10 * SORTED_MAX
  const large: PageFacts = {
    shards: () => answered([0]),
    namespaces: ['ns.0', 'ns.1'],
    timers: many,
    cycles: many,
    ofStatuses: many,
    ofRowType: () => answered(many),
    total: many,
    metadata: null,
  }
  const facts: PageFacts[] = [large]
  for (const few of ['timers', 'cycles', 'ofStatuses', 'metadata'] as const) facts.push({ ...large, [few]: 10 })
  facts.push({ ...large, ofRowType: () => answered(10) })
  facts.push({ ...large, namespaces: ['ns.0'] })
  const statuses = [undefined, [Status.pending], [Status.completed], [Status.failed, Status.canceled], STATUSES]
  let plans = 0
  for (const one of facts) {
    for (const some of statuses) {
      for (const kind of [undefined, 'once', 'cycle'] as const) {
        for (const sort of ['createdAt', 'dueAt'] as const) {
          const metadata = one.metadata === null ? {} : { metadataKey: 'k', metadataValues: [1, '1'] }
          const asked: PageFilter = { ...(some && { statuses: some }), ...(kind && { kind }), ...metadata }
          for (const { text, values } of queriesOf({ filter: asked, sort, ...PAGE }, one)) {
            const steps = db
              .prepare(`EXPLAIN QUERY PLAN ${text}`)
              .all(...(values as string[]))
              .map((row) => row['detail'] as string)
            assert.ok(
              steps.some((step) => step.startsWith('SEARCH timers USING ')),
              steps.join('\n'),
            )
            assert.ok(!steps.some((step) => step.startsWith('SCAN timer')), `${text}\n${steps.join('\n')}`)
            // What is read in order is not sorted, but for those that have the very same time.
            if (one === large)
              assert.ok(!steps.some((step) => /TEMP B-TREE FOR ORDER BY/.test(step)), `${text}\n${steps.join('\n')}`)
            plans++
          }
        }
      }
    }
  }
  assert.ok(plans >= 200)
  db.close()
})

function* answered<T>(value: T): Question<T> {
  yield* NO_STATEMENTS
  return value
}

const NO_STATEMENTS: readonly Query[] = []
const PAGE = { descending: true, offset: 40, limit: 20 } as const

/** The statements of a plan; of many runs, also those that merge them. */
function queriesOf(asked: PageQuery, facts: PageFacts): Query[] {
  const plan = answer(pagePlan(SQLITE, asked, facts), () => [])
  if ('sorted' in plan) return [sortedQuery(SQLITE, asked, plan.sorted, plan.at)]
  const merging: Query[] = []
  const merge = mergeRuns(SQLITE, plan.runs, { ...PAGE, terms: () => [] })
  answer(merge, (one) => {
    merging.push(one)
    return merging.length === 1 ? [['ns.0', 1]] : []
  })
  return [orderedQuery(SQLITE, asked, plan.runs), ...merging]
}
