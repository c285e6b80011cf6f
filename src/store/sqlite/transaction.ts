// One transaction on the writer's connection: all of `change` or nothing, and the truth about what is not known.

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { failureOf, toStoreError } from './failures.ts'

export class Transactions {
  readonly #db: DatabaseSync
  readonly #path: string
  readonly #begin: StatementSync
  readonly #commit: StatementSync

  constructor(db: DatabaseSync, path: string) {
    this.#db = db
    this.#path = path
    this.#begin = db.prepare('BEGIN IMMEDIATE')
    this.#commit = db.prepare('COMMIT')
  }

  run<T>(change: () => T): T {
    let doing: 'write' | 'commit' = 'write'
    try {
      this.#begin.run()
      const result = change()
      doing = 'commit'
      this.#commit.run()
      return result
    } catch (error) {
      this.#rollBack()
      throw toStoreError(failureOf(error, { path: this.#path, doing }))
    }
  }

  /** After some errors (a full disk) SQLite has rolled back by itself. */
  #rollBack(): void {
    if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
  }
}
