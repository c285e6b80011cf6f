// The rows of a page by their uuids, in their order, as far as a page may go in bytes. What is omitted is not even read: a
// large payload is in a table of its own.

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { PAGE_BYTES_MAX } from '../../../core/limits.ts'
import type { PageSize } from '../../store.ts'
import { rowBytes } from '../../row/timer-parts.ts'
import type { Cell } from '../../row/columns.ts'
import { selectCells } from '../statements.ts'

export class PageRows {
  readonly #db: DatabaseSync
  /** By text: one for each set of parts that somebody leaves out. */
  readonly #statements = new Map<string, StatementSync>()

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  /** One at least, if there are any. In a transaction, so that all of them are there. */
  read(uuids: readonly string[], { omit = [], bytesMax = PAGE_BYTES_MAX }: Omit<PageSize, 'limit'>): Cell[][] {
    const select = this.#prepare(`SELECT ${selectCells(omit)} FROM timers WHERE timer_uuid = unhex(?)`)
    const rows: Cell[][] = []
    let bytes = 0
    for (const uuid of uuids) {
      const row = select.get(uuid) as unknown as Cell[]
      bytes += rowBytes(row)
      if (bytes > bytesMax && rows.length > 0) break
      rows.push(row)
    }
    return rows
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql)
    if (statement === undefined) {
      statement = this.#db.prepare(sql)
      statement.setReturnArrays(true)
      this.#statements.set(sql, statement)
    }
    return statement
  }
}
