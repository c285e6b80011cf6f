// An error of a database on a server as the store port has it, with what was being done and where.

import type { ServerLocation } from '../../../runtime/config/databases/server-location.ts'
import { withAdvice } from '../failure-advice.ts'
import { StoreError } from '../../store.ts'
import { detailOf } from './network-failures.ts'

/** How far things had come. `sent`: the statements were on their way to the server. */
export type Stage = 'connect' | 'migrate' | 'sent'

export type FailureContext = {
  readonly location: ServerLocation
  readonly stage: Stage
  readonly effect: 'read' | 'write'
}

export type FoundFailure = {
  readonly server: 'PostgreSQL' | 'MySQL'
  readonly advice: string | null
  readonly retryable: boolean
  /** A server that answers with an error has undone the transaction. One that does not answer may have committed it. */
  readonly endsConnection: boolean
  readonly isFull: boolean
}

export function serverFailure(error: unknown, context: FailureContext, found: FoundFailure): StoreError {
  const { location, stage, effect } = context
  const { server, advice, retryable, endsConnection, isFull } = found
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
