// The outbox: events that wait to be published, written with the commit that they tell of.

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Cell } from '../row/columns.ts'
import type { OutboxEvent } from '../store.ts'
import { EVENT_STRIDE } from './threads/messages.ts'

/** In the writer's thread. */
export class OutboxWriter {
  readonly #insert: StatementSync
  readonly #remove: StatementSync

  constructor(db: DatabaseSync) {
    this.#insert = db.prepare(`
      INSERT INTO timer_outbox (shard_id, timer_uuid, timer_namespace, event_type, event_id, event_at, event_body)
      VALUES (?, unhex(?), ?, ?, ?, ?, ?)`)
    this.#remove = db.prepare('DELETE FROM timer_outbox WHERE event_number IN (SELECT value FROM json_each(?))')
  }

  /** In the transaction of the commit. */
  add(shard: number, events: readonly Cell[]): void {
    for (let at = 0; at < events.length; at += EVENT_STRIDE)
      this.#insert.run(shard, ...events.slice(at, at + EVENT_STRIDE))
  }

  remove(numbers: readonly number[]): void {
    this.#remove.run(JSON.stringify(numbers))
  }
}

export type EventsRead = { readonly shard: number; readonly after: number; readonly limit: number }

/** In the reader's thread. */
export class OutboxReader {
  readonly #read: StatementSync

  constructor(db: DatabaseSync) {
    this.#read = db.prepare(`
      SELECT event_number AS number, lower(hex(timer_uuid)) AS uuid, timer_namespace AS namespace, event_type AS type,
        event_id AS id, event_at AS at, event_body AS body
      FROM timer_outbox INDEXED BY timer_outbox_by_shard WHERE shard_id = ? AND event_number > ? ORDER BY event_number LIMIT ?`)
  }

  read({ shard, after, limit }: EventsRead): OutboxEvent[] {
    return this.#read.all(shard, after, limit).map((row) => ({ ...row }) as unknown as OutboxEvent)
  }
}

export const COUNT_EVENTS_SQL = `
  SELECT coalesce(sum((SELECT count(*) FROM timer_outbox WHERE shard_id = shards.value)), 0) AS count,
    min((SELECT event_at FROM timer_outbox WHERE shard_id = shards.value ORDER BY event_number LIMIT 1)) AS oldestAt
  FROM json_each(?) AS shards`
