// An error of a database on a server as the store port has it, with what was being done and where.

import type { ServerLocation } from '../../../runtime/config/databases/server-location.ts'
import { withAdvice } from '../failure-advice.ts'
import { StoreError } from '../../store.ts'
import { detailOf, networkAdvice } from './network-failures.ts'

/** How far things had come. `sent`: the statements were on their way to the server. */
export type Stage = 'connect' | 'migrate' | 'sent'

export type FailureContext = {
  readonly location: ServerLocation
  readonly stage: Stage
  readonly effect: 'read' | 'write'
}

export type FoundFailure = {
  readonly server: 'PostgreSQL' | 'MySQL'
  /** What the names of settings begin with. */
  readonly settings: 'PG' | 'MYSQL'
  /** For an error that the server has sent; null for those of the network and of the driver. */
  readonly advice: { readonly advice: string | null; readonly retryable: boolean } | null
  /** What the driver says, and what it means. */
  readonly byText: readonly (readonly [RegExp, string])[]
  /** A server that answers with an error has undone the transaction. One that does not answer may have committed it. */
  readonly endsConnection: boolean
  readonly isFull: boolean
}

/** One that the store has made itself stays as it is. */
export function serverFailure(error: unknown, context: FailureContext, found: FoundFailure): StoreError {
  if (error instanceof StoreError) return error
  const { location, stage, effect } = context
  const { server, settings, byText, endsConnection, isFull } = found
  const network = { settings, tls: location.tls, isConnecting: stage === 'connect', byText }
  const { advice, retryable } = found.advice ?? { advice: networkAdvice(error, network), retryable: true }
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
