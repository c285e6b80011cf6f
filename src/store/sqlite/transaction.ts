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
    return this.runIf(change, () => true)
  }

  /** Rolled back when what came of it is not to be kept. */
  runIf<T>(change: () => T, isKept: (result: T) => boolean): T {
    let doing: 'write' | 'commit' = 'write'
    try {
      this.#begin.run()
      const result = change()
      doing = 'commit'
      if (isKept(result)) this.#commit.run()
      else this.#rollBack()
      return result
    } catch (error) {
      this.#rollBack()
      throw toStoreError(failureOf(error, { path: this.#path, doing }))
    }
  }

  /** A part of a transaction that can be undone by itself. SQLite keeps the pages it changes a second time meanwhile. */
  nestedIf<T>(change: () => T, isKept: (result: T) => boolean): T {
    this.#db.exec('SAVEPOINT part')
    const result = change()
    if (!isKept(result)) this.#db.exec('ROLLBACK TO part')
    this.#db.exec('RELEASE part')
    return result
  }

  /** After some errors (a full disk) SQLite has rolled back by itself. */
  #rollBack(): void {
    if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
  }
}
