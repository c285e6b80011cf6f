// What the questions are in MySQL's words. There is no server here: the texts are looked at for what MySQL, MariaDB and TiDB
// do not have, and some are shown as a whole.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NamespacePattern } from '../../core/access/access.ts'
import { Status } from '../../core/timer/timer.ts'
import type { Namespace, ShardId, TimerUuid } from '../../core/timer/timer.ts'
import { questionsFor } from '../sql/questions/questions.ts'
import { deleteEntry, insertEntry } from '../sql/questions/metadata-entries.ts'
import { insertEvent } from '../sql/questions/outbox.ts'
import type { Query, Question, Row } from '../sql/statement.ts'
import { answer } from '../sql/statement.ts'
import { deleteTimer, insertTimer, updateTimer } from '../sql/timer-sql.ts'
import type { PageQuery } from '../store.ts'
import { MYSQL, positional } from './dialect.ts'
import { TABLES } from './schema.ts'

const QUESTIONS = questionsFor(MYSQL)
const UUID = 'ab'.repeat(16) as TimerUuid

/** Counters tell of two namespaces with a million pending timers each, so that pages are read in order; nothing else is found. */
function rowsOf({ text }: Query): readonly Row[] {
  if (/GROUP BY timer_namespace, counter_name/.test(text))
    return ['a', 'b'].map((namespace) => [namespace, '0.0', 1_000_000])
  if (/SELECT shard_id, shard_epoch/.test(text)) return [0, 1].map((shard) => [shard, 1, 'node'])
  if (/WITH RECURSIVE/.test(text)) return [['a'], ['b']]
  if (/SELECT listed\.value/.test(text)) return [['a', 1]]
  return /count\(\*\)/.test(text) ? [[1_000_000, 1, 1, 1]] : []
}

function queriesOf(question: Question<unknown>): Query[] {
  const asked: Query[] = []
  answer(question, (query) => {
    asked.push(positional(query))
    return rowsOf(query)
  })
  return asked
}

function page(filter: PageQuery['filter'], more: Partial<PageQuery> = {}): Question<unknown> {
  return QUESTIONS.page({ filter, sort: 'createdAt', descending: true, offset: 40, limit: 20, ...more })
}

const NAMESPACE = 'a' as Namespace
const NAMESPACES = ['a', 'b*'] as string[] as NamespacePattern[]
const SHARDS = [0, 1] as ShardId[]

const ALL: readonly Question<unknown>[] = [
  QUESTIONS.getMany([UUID, UUID]),
  QUESTIONS.due({ shard: SHARDS[0]!, after: { wakeAt: 5, uuid: UUID }, until: 9, limit: 10 }),
  QUESTIONS.due({ shard: SHARDS[0]!, after: null, until: 9, limit: 10, except: ['@t', 'a'] }),
  QUESTIONS.dueShards({ shards: SHARDS, until: 9 }),
  QUESTIONS.expired({ shards: SHARDS, before: 9, limit: 10 }),
  QUESTIONS.readEvents({ shard: SHARDS[0]!, after: 0, limit: 10 }),
  QUESTIONS.removeEvents({ shard: SHARDS[0]!, numbers: [1, 2] }),
  QUESTIONS.countEvents(SHARDS),
  QUESTIONS.stats({ namespaces: NAMESPACES }),
  QUESTIONS.tallies({ since: 5 }),
  QUESTIONS.upcoming({ until: 9, stepMs: 3 }),
  QUESTIONS.list({ filter: {}, after: null, limit: 10 }),
  QUESTIONS.list({
    filter: {
      namespaces: NAMESPACES,
      statuses: [Status.failed],
      dueFrom: 1,
      dueTo: 2,
      metadataKey: 'k',
      metadataValue: 1,
    },
    after: { finished: true, wakeAt: 5, uuid: UUID },
    limit: 10,
  }),
  page({}),
  page({ kind: 'cycle' }),
  page({ namespace: NAMESPACE, statuses: [Status.failed] }, { sort: 'dueAt' }),
  page({ metadataKey: 'k', metadataValues: ['1', 1, true] }),
  page({ idPrefix: 'x', uuids: [UUID] }, { offset: 0 }),
]

test('every question is said in what MySQL, MariaDB and TiDB have', () => {
  const queries = ALL.flatMap(queriesOf)
  assert.ok(queries.length > ALL.length)
  for (const { text, values } of queries) {
    assert.equal(text.match(/\?/g)?.length ?? 0, values.length, text)
    assert.ok(values.every((value) => value !== undefined))
    assert.doesNotMatch(
      text,
      /LATERAL|::|\$\d|json_each|unnest|INDEXED BY|NOT INDEXED|\|\|| ANY |FILTER|JSON_TABLE/,
      text,
    )
    // A row value is compared by reading everything.
    assert.doesNotMatch(
      text,
      /\(timer_execute_at, timer_uuid\) [<>]|\(row_type, timer_execute_at, timer_uuid\) [<>]/,
      text,
    )
  }
})

test('what is due is read from the primary key, behind a place', () => {
  const [query] = queriesOf(
    QUESTIONS.due({ shard: SHARDS[1]!, after: { wakeAt: 5, uuid: UUID }, until: 9, limit: 10, group: 'a' }),
  )
  const text = query!.text
    .replace(/SELECT .* FROM/, 'SELECT … FROM')
    .replaceAll(/\s+/g, ' ')
    .trim()
  assert.equal(
    text,
    'SELECT … FROM timers FORCE INDEX (PRIMARY) WHERE shard_id = ? AND row_type = 2 ' +
      'AND (timer_execute_at >= ? AND (timer_execute_at > ? OR timer_uuid > UNHEX(?))) AND timer_execute_at <= ? ' +
      `AND coalesce(CONCAT('@', timer_tenant), timer_namespace) = ? ORDER BY timer_execute_at, timer_uuid LIMIT ?`,
  )
  assert.deepEqual(query!.values, [1, 5, 5, UUID, 9, 'a', 10])
})

test('a timer is written by statements that are made from the table of columns', () => {
  const texts = [insertTimer, deleteTimer, insertEvent, insertEntry, deleteEntry].map((make) => make(MYSQL))
  const update = updateTimer(MYSQL, { keepsPayload: true })
  assert.doesNotMatch(update, /timer_payload/)
  assert.match(
    update,
    /WHERE timer_uuid = UNHEX\(\?3\) AND timer_namespace = \?4 AND timer_id = \?5\s+AND shard_id = \?15/,
  )
  for (const text of [...texts, update]) assert.doesNotMatch(text, /\$\d|::|unhex\(/, text)
  for (const table of TABLES) assert.doesNotMatch(table, /undefined|COLLATE "C"/)
  assert.match(TABLES[0]!, /PRIMARY KEY \(shard_id, row_type, timer_execute_at, timer_uuid\)/)
})
