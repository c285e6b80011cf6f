// The outbox: events that wait to be published. They travel with the commit and are written by the same statement, so they
// are there exactly when their puts are. A commit without events does not know of it.

import type { LifecycleEventType } from '../../core/lifecycle-event.ts'
import type { JsonText, Namespace, ShardId, TimerUuid } from '../../core/timer.ts'
import type { CommitPart, OutboxEvent } from '../store.ts'
import type { Cell } from '../timer-row.ts'
import { columnParameter } from './array-parameters.ts'
import type { ElementType } from './array-parameters.ts'
import type { Query, Row } from './connections.ts'

/** Part and put (numbered from 1, the put over all parts), then the columns. */
const EVENT_TYPES = ['int4', 'int4', 'int4', 'int8', 'uuid', 'text', 'text', 'text', 'text'] as const satisfies readonly ElementType[]
const EVENT_STRIDE = EVENT_TYPES.length
const SQL_TYPES = { int4: 'integer[]', int8: 'bigint[]', uuid: 'uuid[]', text: 'text[]' } as const

/** Null when no put has any. */
export function eventParameters(parts: readonly CommitPart[]): (Buffer | null)[] | null {
  let cells: Cell[] | null = null
  let number = 0
  for (let part = 0; part < parts.length; part++) {
    const { shard, puts } = parts[part]!
    for (const { events } of puts) {
      number++
      if (events === undefined || events.length === 0) continue
      cells ??= []
      for (const { at, uuid, namespace, type, id, body } of events) cells.push(part + 1, number, shard, at, uuid, namespace, type, id, body)
    }
  }
  const filled = cells
  return filled === null ? null : EVENT_TYPES.map((type, index) => columnParameter(type, filled, index, EVENT_STRIDE))
}

/** The commit with its events, which have the parameters from `first` on. The function has locked the shards before a number is drawn. */
export function withEvents(commitSql: string, first: number): string {
  const columns = EVENT_TYPES.map((type, index) => `$${first + index}::${SQL_TYPES[type]}`).join(', ')
  return `
  WITH result AS MATERIALIZED (${commitSql}), told AS (
    INSERT INTO timer_outbox (shard_id, event_at, timer_uuid, timer_namespace, event_type, event_id, event_body)
    SELECT shard, at, uuid, namespace, type, id, body
    FROM unnest(${columns}) WITH ORDINALITY AS event (part, put, shard, at, uuid, namespace, type, id, body, place)
    WHERE part NOT IN (SELECT fenced_part FROM result WHERE fenced_part IS NOT NULL)
      AND put NOT IN (SELECT missed_put FROM result WHERE missed_put IS NOT NULL)
    ORDER BY place
  )
  SELECT * FROM result`
}

const READ_SQL = `
  SELECT event_number, event_at, timer_uuid, timer_namespace, event_type, event_id, event_body FROM timer_outbox
  WHERE shard_id = $1 AND event_number > $2 ORDER BY event_number LIMIT $3`

export function readEventsQuery({ shard, after, limit }: { shard: ShardId; after: number; limit: number }): Query {
  return { name: 'read-events', text: READ_SQL, values: [shard, after, limit] }
}

export function eventsOfRows(rows: readonly Row[]): OutboxEvent[] {
  return rows.map(([number, at, uuid, namespace, type, id, body]) => ({
    number: number as number,
    id: id as string,
    type: type as LifecycleEventType,
    namespace: namespace as Namespace,
    uuid: uuid as TimerUuid,
    at: at as number,
    body: body as JsonText,
  }))
}

const REMOVE_SQL = 'DELETE FROM timer_outbox WHERE shard_id = $1 AND event_number = ANY ($2)'

export function removeEventsQuery({ shard, numbers }: { shard: ShardId; numbers: readonly number[] }): Query {
  return { name: 'remove-events', text: REMOVE_SQL, values: [shard, columnParameter('int8', numbers)] }
}

const COUNT_SQL = `
  SELECT coalesce(sum(waiting.count), 0)::bigint, min(oldest.event_at)
  FROM unnest($1::integer[]) AS shard (id)
  CROSS JOIN LATERAL (SELECT count(*) AS count FROM timer_outbox WHERE shard_id = shard.id) AS waiting
  LEFT JOIN LATERAL (SELECT event_at FROM timer_outbox WHERE shard_id = shard.id ORDER BY event_number LIMIT 1) AS oldest ON true`

export function countEventsQuery(shards: readonly ShardId[]): Query {
  return { name: 'count-events', text: COUNT_SQL, values: [columnParameter('int4', shards)] }
}
