// Which way to a page is taken, by what the counters say. No database is asked.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Status } from '../../core/timer/timer.ts'
import type { Namespace } from '../../core/timer/timer.ts'
import { RowType } from '../row/columns.ts'
import { pagePlan } from '../sql/pages/page-plan.ts'
import type { PageFacts } from '../sql/pages/page-plan.ts'
import { sourcesOf } from '../sql/questions/sources.ts'
import { answer } from '../sql/statement.ts'
import type { Question } from '../sql/statement.ts'
import { POSTGRES } from './dialect.ts'

const SHARDS = Array.from({ length: 64 }, (_, shard) => shard)
const OTHERS = 5_000_000
const small = 'small' as Namespace

/** Of a namespace beside five million live timers of others: so many timers, of which so many match. */
function planOf({ timers, total }: { readonly timers: number; readonly total: number }) {
  const facts: PageFacts = {
    shards: () => known(SHARDS),
    namespaces: [small],
    timers,
    cycles: 0,
    ofStatuses: total,
    ofRowType: (rowType) => known(rowType === RowType.live ? OTHERS : 0),
    total,
    metadata: null,
  }
  const filter = { namespace: small, statuses: [Status.pending] }
  const query = { filter, sort: 'dueAt', descending: false, offset: 0, limit: 20 } as const
  return answer(pagePlan(POSTGRES, query, facts), () => assert.fail('nothing needs to be read'))
}

function* known<T>(value: T): Question<T> {
  yield* [] // nothing is asked
  return value
}

test('a page of a namespace with few matching timers does not read those of all others, however many timers it has', () => {
  assert.ok('sorted' in planOf({ timers: 60_000, total: 10 }))
})

test('a page of a namespace that has most timers is read in their order', () => {
  assert.ok('runs' in planOf({ timers: 4_000_000, total: 4_000_000 }))
})

/** Of a list of a namespace with so many timers. */
function sourceOf(timers: number, limit = 100) {
  return answer(sourcesOf(POSTGRES, { namespace: small }, limit), ({ text }) => {
    if (text.includes('shard_id')) return SHARDS.map((shard) => [shard])
    return text.includes('GROUP BY timer_namespace, counter_name')
      ? [
          [small, '0.0', timers],
          ['others', '0.0', OTHERS],
        ]
      : [[small, timers]]
  })
}

test('a list sorts the timers of a namespace unless reading all shards in order is less', () => {
  assert.equal(sourceOf(40_000).by, 'timers_by_namespace')
  assert.equal(sourceOf(60_000).by, 'primary')
  assert.equal(sourceOf(60_000, 1_000).by, 'timers_by_namespace')
})
