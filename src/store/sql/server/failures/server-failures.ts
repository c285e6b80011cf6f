// An error of a database on a server as the store port has it, with what was being done and where.

import type { ServerLocation } from '../../../../runtime/config/databases/server-location.ts'
import { StoreError } from '../../../store.ts'
import { withAdvice } from '../../failure-advice.ts'
import { detailOf, networkAdvice } from './network-failures.ts'
import type { SettingsPrefix } from './network-failures.ts'

/** How far things had come. `sent`: the statements were on their way to the server. */
export type Stage = 'connect' | 'migrate' | 'sent'

export type FailureContext = {
  readonly location: ServerLocation
  readonly stage: Stage
  readonly effect: 'read' | 'write'
}

/** What an error means for whoever meets it. */
export type Meaning = {
  readonly advice: string | null | ((context: FailureContext) => string)
  readonly retryable: boolean
  readonly isFull?: boolean
  readonly isReadOnly?: boolean
  /** The server undid the transaction only for the sake of another one, or will: the same again may succeed at once. */
  readonly isRollbackToRepeat?: boolean
  /**
   * The connection is of no use any more. A server that answers with another error has undone the transaction; one that ends the
   * connection, or does not answer, may have committed it.
   */
  readonly endsConnection?: boolean
}

export type ServerErrors = {
  readonly server: 'PostgreSQL' | 'MySQL'
  readonly settings: SettingsPrefix
  /** Of an error that the server has sent; null for those of the network and of the driver. */
  readonly meaningOf: (error: unknown) => Meaning | null
  /** What the driver says, and what it means. */
  readonly byText: readonly (readonly [RegExp, string])[]
}

export const LOST: Meaning = { advice: null, retryable: true, endsConnection: true }

export class ServerFailures {
  readonly #errors: ServerErrors

  constructor(errors: ServerErrors) {
    this.#errors = errors
  }

  /** What the store has found out by itself is no failure of the connection. */
  meaningOf(error: unknown): Meaning {
    if (error instanceof StoreError) return { advice: error.message, retryable: error.retryable }
    return this.#errors.meaningOf(error) ?? LOST
  }

  /** One that the store has made itself stays as it is. */
  failureOf(error: unknown, context: FailureContext): StoreError {
    if (error instanceof StoreError) return error
    const { location, stage, effect } = context
    const { server, settings, byText, meaningOf } = this.#errors
    const network = { settings, tls: location.tls, isConnecting: stage === 'connect', byText }
    const meaning = meaningOf(error) ?? { ...LOST, advice: networkAdvice(error, network) }
    const { retryable, isFull = false, endsConnection = false } = meaning
    const advice = typeof meaning.advice === 'function' ? meaning.advice(context) : meaning.advice
    const sent = effect === 'read' ? 'read from' : 'write to'
    const doing = stage === 'sent' ? sent : stage === 'migrate' ? 'set up' : 'connect to'
    const where = `${server} at ${location.host}:${location.port}, database ${location.database}`
    return new StoreError(`cannot ${doing} ${where}: ${withAdvice(advice, detailOf(error))}`, {
      retryable,
      outcomeUnknown: stage === 'sent' && effect === 'write' && endsConnection,
      isFull,
      cause: error,
    })
  }
}
