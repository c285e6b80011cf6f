// What went wrong between here and PostgreSQL, said so that the reader knows what to do, and whether a write may have
// happened all the same.

import { DatabaseError } from 'pg'
import type { PostgresLocation } from '../../../runtime/config/databases/postgres.ts'
import { detailOf, networkAdvice } from '../../sql/server/network-failures.ts'
import { StoreError } from '../../store.ts'

/** How far things had come. `sent`: the statement was on its way to the server. */
export type Stage = 'connect' | 'migrate' | 'sent'
type Context = { readonly location: PostgresLocation; readonly stage: Stage; readonly effect: 'read' | 'write' }

type Advice = { readonly advice: string; readonly retryable: boolean }

const DISK_FULL = '53100'
// By SQLSTATE. Not retryable is what only a person can change.
const BY_STATE: Readonly<Record<string, Advice>> = {
  '25006': { advice: 'it is read-only (a standby, or switched to read-only): connect to the primary', retryable: true },
  '28000': {
    advice: 'it does not let this user in from here: see pg_hba.conf; if it asks for TLS, set PG_SSL=require',
    retryable: false,
  },
  '28P01': { advice: 'the password is wrong, or there is no such user', retryable: false },
  '40001': { advice: 'it could not order this with other transactions', retryable: true },
  '40P01': { advice: 'this and another transaction waited for each other', retryable: true },
  '42501': { advice: 'this user may not do that', retryable: false },
  [DISK_FULL]: { advice: 'its disk is full: free some space, and writing goes on by itself', retryable: true },
  '53200': { advice: 'it is out of memory', retryable: true },
  '53300': {
    advice: 'it has no connection left: raise max_connections, or lower PG_POOL_SIZE of the nodes',
    retryable: true,
  },
  '55P03': { advice: 'somebody holds a lock for too long', retryable: true },
  '57014': { advice: 'it took longer than PG_STATEMENT_TIMEOUT', retryable: true },
  '57P01': { advice: 'an administrator ended the connection or stopped the server', retryable: true },
  '57P02': { advice: 'the server crashed', retryable: true },
  '57P03': { advice: 'it is starting or stopping', retryable: true },
  DT001: { advice: 'two timers have the same key', retryable: false },
}

const BY_TEXT: readonly (readonly [RegExp, string])[] = [
  [
    /timeout exceeded when trying to connect/,
    'no connection became free in time: raise PG_POOL_SIZE, or ask for less at once',
  ],
  [/connection timeout|timeout expired/, 'it does not answer: check host, port and firewalls'],
  [/client password must be/, 'it asks for a password: set PG_PASSWORD, or write it into the URL'],
  [/does not support SSL/, 'it has no TLS: set PG_SSL=disable, or switch TLS on in the server'],
]

export function failureOf(error: unknown, context: Context): StoreError {
  if (error instanceof StoreError) return error
  const { stage, effect } = context
  const { advice, retryable } = adviceOf(error, context)
  const detail = detailOf(error)
  const doing =
    stage === 'sent' ? `${effect} ${effect === 'read' ? 'from' : 'to'}` : stage === 'migrate' ? 'set up' : 'connect to'
  const where = `PostgreSQL at ${context.location.host}:${context.location.port}, database ${context.location.database}`
  return new StoreError(`cannot ${doing} ${where}: ${advice === null ? detail : `${advice} (${detail})`}`, {
    retryable,
    // A server that answers with an error has undone the statement. One that does not answer may have committed it.
    outcomeUnknown: stage === 'sent' && effect === 'write' && endsConnection(error),
    isFull: stateOf(error) === DISK_FULL,
    cause: error,
  })
}

/** Whether the connection is of no use any more: it is gone, or it leads to a server that cannot be written to. */
export function endsConnection(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return true
  return error.severity === 'FATAL' || error.severity === 'PANIC' || /^(08|57P|25P03)/.test(error.code ?? '')
}

export function isReadOnly(error: unknown): boolean {
  return stateOf(error) === '25006'
}

/** The server undid the transaction only for the sake of another one: the same again may succeed at once. */
export function isRollbackToRepeat(error: unknown): boolean {
  return stateOf(error) === '40001' || stateOf(error) === '40P01'
}

function stateOf(error: unknown): string | null {
  return error instanceof DatabaseError ? (error.code ?? null) : null
}

function adviceOf(error: unknown, { location, stage }: Context): { advice: string | null; retryable: boolean } {
  const state = stateOf(error)
  if (state === '3D000') {
    const create = `CREATE DATABASE ${quoted(location.database)} OWNER ${quoted(location.user)}`
    return { advice: `there is no such database: ${create}`, retryable: false }
  }
  if (state === '42501' && stage === 'migrate') {
    const grant = `GRANT CREATE ON SCHEMA public TO ${quoted(location.user)}`
    return {
      advice: `this user may not create the tables: ${grant}, or make it the owner of the database`,
      retryable: false,
    }
  }
  // A class of errors in the statement itself (a table that is gone, a value that does not fit) stays as it is.
  if (state !== null) return BY_STATE[state] ?? { advice: null, retryable: !/^(22|42)/.test(state) }
  const context = { settings: 'PG', tls: location.tls, isConnecting: stage === 'connect', byText: BY_TEXT } as const
  return { advice: networkAdvice(error, context), retryable: true }
}

function quoted(identifier: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(identifier) ? identifier : `"${identifier.replaceAll('"', '""')}"`
}
