// The outbox: events that wait to be published, written with the puts they belong to. Where no events are wanted nothing
// here runs, and commits carry nothing for it.

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { CommitPart, OutboxEvent } from '../store.ts'
import type { Cell } from '../timer-row.ts'
import { PART_STRIDE } from './messages.ts'
import type { CommitMessage, CommitReply } from './messages.ts'

/** Of one event: part, index of the put in it, uuid, namespace, type, id, time, body. */
const EVENT_STRIDE = 8

/** As flat as the puts; null when there are none. */
export function packEvents(parts: readonly CommitPart[]): readonly Cell[] | null {
  let cells: Cell[] | null = null
  for (let part = 0; part < parts.length; part++) {
    const { puts } = parts[part]!
    for (let index = 0; index < puts.length; index++) {
      const { events } = puts[index]!
      if (events === undefined || events.length === 0) continue
      cells ??= []
      for (const { uuid, namespace, type, id, at, body } of events) cells.push(part, index, uuid, namespace, type, id, at, body)
    }
  }
  return cells
}

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

  /** In the transaction of the commit, once it is known which of its puts were written. */
  add(events: readonly Cell[], { parts }: CommitMessage, reply: CommitReply): void {
    for (let at = 0; at < events.length; at += EVENT_STRIDE) {
      const part = events[at] as number
      const missed = reply[part]!
      if (missed === null || missed.some(({ index }) => index === events[at + 1])) continue
      this.#insert.run(parts[part * PART_STRIDE]!, ...events.slice(at + 2, at + EVENT_STRIDE))
    }
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
