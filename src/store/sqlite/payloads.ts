// Payloads that are too large to stand in their row. A change writes its whole row anew, and most changes leave the payload alone; and
// what follows it in the row is behind all its further pages. So a large payload is in a table of its own, found by a number, and the
// row has that number in its place; a payload itself is text.

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Cell } from '../row/columns.ts'

const INLINE_CHARS_MAX = 512 // some rows fit on a page, and none has further ones

/** The payload in a SELECT list on `timers`. */
export const PAYLOAD_SQL = `CASE typeof(timer_payload) WHEN 'integer' THEN (SELECT payload FROM timer_payloads WHERE payload_id = timer_payload) ELSE timer_payload END`

/** Its length, without reading it. */
export const PAYLOAD_BYTES_SQL = `CASE typeof(timer_payload) WHEN 'integer' THEN (SELECT octet_length(payload) FROM timer_payloads WHERE payload_id = timer_payload) ELSE octet_length(timer_payload) END`

/** The number of a payload that is not in its row; NULL for others. */
export const PAYLOAD_ID_SQL = `CASE typeof(timer_payload) WHEN 'integer' THEN timer_payload END`

export class Payloads {
  readonly #add: StatementSync
  readonly #remove: StatementSync
  readonly #removeOf: StatementSync

  constructor(db: DatabaseSync) {
    this.#add = db.prepare('INSERT INTO timer_payloads (payload) VALUES (?)')
    this.#remove = db.prepare('DELETE FROM timer_payloads WHERE payload_id = ?')
    this.#removeOf = db.prepare(`
      DELETE FROM timer_payloads WHERE payload_id = (SELECT ${PAYLOAD_ID_SQL} FROM timers WHERE timer_uuid = unhex(?))`)
  }

  /** What the row has for this payload. A number as bigint, since others are bound as floating point. */
  place(payload: Cell): Cell | bigint {
    if (typeof payload !== 'string' || payload.length <= INLINE_CHARS_MAX) return payload
    return BigInt(this.#add.run(payload).lastInsertRowid)
  }

  /** Before the row gets another payload. */
  removeOf(uuid: string): void {
    this.#removeOf.run(uuid)
  }

  remove(id: number): void {
    this.#remove.run(id)
  }
}
