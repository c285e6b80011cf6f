// What the questions are in MySQL's words. There is no server here, since not every run has all of them: the texts are looked
// at for what MySQL, MariaDB and TiDB do not all have, and some are shown as a whole.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NamespacePattern } from '../../core/access/access.ts'
import { Status } from '../../core/timer/timer.ts'
import type { Namespace, ShardId, TimerUuid } from '../../core/timer/timer.ts'
import { questionsFor } from '../sql/questions/questions.ts'
import type { Query, Question, Row } from '../sql/statement.ts'
import { answer } from '../sql/statement.ts'
import type { PageQuery } from '../store.ts'
import { written } from './connection/literals.ts'
import { MYSQL } from './dialect.ts'
import { MIGRATIONS } from './setup/schema.ts'

const QUESTIONS = questionsFor(MYSQL)
const UUID = 'ab'.repeat(16) as TimerUuid

/** Counters tell of two namespaces with a million pending timers each, so that pages are read in order; nothing else is found. */
function rowsOf({ text }: Query): readonly Row[] {
  if (/GROUP BY timer_namespace, counter_name/.test(text))
    return ['a', 'b'].map((namespace) => [namespace, '0.0', 1_000_000])
  if (/SELECT shard_id, shard_epoch/.test(text)) return [0, 1].map((shard) => [shard, 1, 'node'])
  if (/SELECT DISTINCT timer_namespace/.test(text)) return [['a'], ['b']]
  if (/SELECT listed\.value/.test(text)) return [['a', 1]]
  return /count\(\*\)/.test(text) ? [[1_000_000, 1, 1, 1]] : []
}

function queriesOf(question: Question<unknown>): Query[] {
  const asked: Query[] = []
  answer(question, (query) => {
    asked.push(query)
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
    assert.equal(Math.max(0, ...(text.match(/(?<=\?)\d+/g) ?? []).map(Number)), values.length, text)
    assert.doesNotMatch(written({ text, values }), /\?\d|undefined|NaN/, text)
    assert.ok(values.every((value) => value !== undefined))
    assert.doesNotMatch(
      text,
      /LATERAL|::|\$\d|json_each|unnest|INDEXED BY|NOT INDEXED|\|\|| ANY |FILTER|JSON_TABLE|RECURSIVE/,
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
  const text = written(query!)
    .replace(/SELECT .* FROM/, 'SELECT … FROM')
    .replaceAll(/\s+/g, ' ')
    .trim()
  assert.equal(
    text,
    'SELECT … FROM timers FORCE INDEX (PRIMARY) WHERE shard_id = 1 AND row_type = 2 ' +
      `AND (timer_execute_at >= 5 AND (timer_execute_at > 5 OR timer_uuid > X'${UUID}')) AND timer_execute_at <= 9 ` +
      `AND coalesce(CONCAT('@', timer_tenant), timer_namespace) = 'a' ORDER BY timer_execute_at, timer_uuid LIMIT 10`,
  )
})

test('values are written so that no text can end its literal', () => {
  const text = `a'; DROP TABLE timers; -- \\' \0 \n é 😀 ?1`
  const statement = written({ text: 'SELECT ?1, ?2, ?1, X?3, ?4', values: [text, -5, UUID, null] })
  const quoted = `'a\\'; DROP TABLE timers; -- \\\\\\' \\0 \n é 😀 ?1'`
  assert.equal(statement, `SELECT ${quoted}, -5, ${quoted}, X'${UUID}', NULL`)
})

test('a text that looks like the place of a value stays what it is', () => {
  const queries = queriesOf(page({ metadataKey: 'k?1', metadataValues: ["?2' OR '?1"] }))
  const asking = queries.map(written).filter((text) => text.includes('k?1'))
  assert.ok(asking.length > 0)
  for (const text of asking) assert.ok(text.includes("?2\\' OR \\'?1"), text)
})

test('tables are made so that making them again changes nothing', () => {
  const statements = MIGRATIONS.flatMap((step) => step.split(';\n'))
  for (const statement of statements) assert.match(statement, /^CREATE (TABLE IF NOT EXISTS|OR REPLACE VIEW) /)
  assert.match(statements[0]!, /timer_store/)
  assert.match(statements[1]!, /PRIMARY KEY \(shard_id, row_type, timer_execute_at, timer_uuid\)/)
})
