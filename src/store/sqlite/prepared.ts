// Statements by their text, prepared when they are first used.

import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { Query, Row } from '../sql/statement.ts'

const STATEMENTS_MAX = 300 // there are as many as combinations of filters and numbers of namespaces that somebody asks for

export class Prepared {
  readonly #db: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  rows({ text, values }: Query): readonly Row[] {
    return this.#prepare(text).all(...(values as SQLInputValue[])) as unknown as readonly Row[]
  }

  #prepare(text: string): StatementSync {
    const known = this.#statements.get(text)
    if (known !== undefined) return known
    if (this.#statements.size >= STATEMENTS_MAX) this.#statements.clear()
    const statement = this.#db.prepare(text)
    statement.setReturnArrays(true)
    this.#statements.set(text, statement)
    return statement
  }
}
