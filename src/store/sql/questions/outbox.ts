// The outbox: events that were written with commits and wait to be published.

import type { LifecycleEventType } from '../../../core/events/lifecycle-event.ts'
import type { JsonText, Millis, Namespace, ShardId, TimerUuid } from '../../../core/timer/timer.ts'
import type { OutboxEvent } from '../../store.ts'
import type { Dialect } from '../dialect.ts'
import { inChunks, Statement } from '../statement.ts'
import type { Question } from '../statement.ts'
import { uuidText } from '../timer-sql.ts'

/** In the order of the parameters of `insertEvent`. */
export const EVENT_COLUMNS = [
  { name: 'shard_id', type: 'shard' },
  { name: 'timer_uuid', type: 'uuid' },
  { name: 'timer_namespace', type: 'name' },
  { name: 'event_type', type: 'name' },
  { name: 'event_id', type: 'name' },
  { name: 'event_at', type: 'time' },
  { name: 'event_body', type: 'text' },
] as const

export function insertEvent({ parameter }: Dialect): string {
  const names = EVENT_COLUMNS.map(({ name }) => name).join(', ')
  return `INSERT INTO timer_outbox (${names}) VALUES (${EVENT_COLUMNS.map(({ type }, index) => parameter(index + 1, type)).join(', ')})`
}

type EventsRead = { readonly shard: ShardId; readonly after: number; readonly limit: number }
type EventFields = readonly [
  number: number,
  at: Millis,
  uuid: TimerUuid,
  namespace: Namespace,
  type: LifecycleEventType,
  id: string,
  body: JsonText,
]

export function* readEvents(dialect: Dialect, { shard, after, limit }: EventsRead): Question<OutboxEvent[]> {
  const statement = new Statement(dialect)
  const rows = (yield statement.query(`
    SELECT event_number, event_at, ${uuidText(dialect)}, timer_namespace, event_type, event_id, event_body
    FROM timer_outbox ${dialect.by('timer_outbox_by_shard')}
    WHERE shard_id = ${statement.bind(shard, 'shard')} AND event_number > ${statement.bind(after, 'integer')}
    ORDER BY event_number LIMIT ${statement.bind(limit, 'integer')}`)) as readonly unknown[] as readonly EventFields[]
  return rows.map(([number, at, uuid, namespace, type, id, body]) => ({ number, at, uuid, namespace, type, id, body }))
}

export function* removeEvents(
  dialect: Dialect,
  { shard, numbers }: { readonly shard: ShardId; readonly numbers: readonly number[] },
): Question<void> {
  for (const some of inChunks(numbers, dialect)) {
    const statement = new Statement(dialect)
    yield statement.query(`
      DELETE FROM timer_outbox
      WHERE shard_id = ${statement.bind(shard, 'shard')} AND ${dialect.isOneOf('event_number', 'integer', some, statement)}`)
  }
}

export function* countEvents(
  dialect: Dialect,
  shards: readonly ShardId[],
): Question<{ count: number; oldestAt: Millis | null }> {
  const found: { count: number; oldestAt: Millis | null }[] = []
  for (const some of inChunks(shards, dialect)) {
    const statement = new Statement(dialect)
    const waiting = (shard: string): string => `
      SELECT count(*) AS waiting,
        (SELECT event_at FROM timer_outbox WHERE shard_id = ${shard} ORDER BY event_number LIMIT 1) AS oldest_at
      FROM timer_outbox WHERE shard_id = ${shard}`
    const rows = yield statement.query(`
      SELECT sum(waiting), min(oldest_at) FROM ${dialect.forEach('shard', some, waiting, statement)}`)
    found.push(...rows.map(([count, at]) => ({ count: Number(count), oldestAt: at === null ? null : Number(at) })))
  }
  const oldest = found.flatMap(({ oldestAt }) => (oldestAt === null ? [] : [oldestAt]))
  return {
    count: found.reduce((sum, { count }) => sum + count, 0),
    oldestAt: oldest.length === 0 ? null : Math.min(...oldest),
  }
}
