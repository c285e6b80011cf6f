// The outbox: events that were written with commits and wait to be published.

import type { LifecycleEventType } from '../../core/events/lifecycle-event.ts'
import type { JsonText, Namespace, ShardId, TimerUuid } from '../../core/timer/timer.ts'
import type { OutboxEvent } from '../store.ts'
import { columnParameter } from './connection/array-parameters.ts'
import type { Query, Row } from './connection/connections.ts'

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
