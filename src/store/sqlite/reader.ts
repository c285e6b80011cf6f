// Everything that only reads, on a connection of its own, so that a long list never holds up a commit. Runs in a worker thread:
// one for what timers and requests wait for, and one for what may take longer. Rows leave as flat cells; the main thread makes
// timers of them.

import type { DatabaseSync } from 'node:sqlite'
import type { Answered, Asked, QuestionName } from '../sql/questions/questions.ts'
import { answer } from '../sql/statement.ts'
import type { Question } from '../sql/statement.ts'
import { SQLITE_QUESTIONS } from './dialect.ts'
import { Prepared } from './prepared.ts'

export type Ask<Name extends QuestionName = QuestionName> = { readonly name: Name; readonly argument: Asked<Name> }

/** A question and its argument belong together, which the compiler cannot see across threads. */
export function questionOf<Name extends QuestionName>({ name, argument }: Ask<Name>): Question<Answered<Name>> {
  const ask = SQLITE_QUESTIONS[name] as (one: Asked<Name>) => unknown
  return ask(argument) as Question<Answered<Name>>
}

export class Reader {
  readonly #db: DatabaseSync
  readonly #prepared: Prepared

  constructor(db: DatabaseSync) {
    this.#db = db
    this.#prepared = new Prepared(db)
  }

  /** As of one moment, also inside a transaction that goes on. */
  answer<Name extends QuestionName>(ask: Ask<Name>): Answered<Name> {
    this.#prepared.rows({ text: 'SAVEPOINT question', values: [] })
    try {
      return answer(questionOf(ask), (query) => this.#prepared.rows(query))
    } finally {
      this.#prepared.rows({ text: 'RELEASE question', values: [] })
    }
  }

  close(): void {
    this.#db.close()
  }
}
