// What went wrong between here and PostgreSQL, said so that the reader knows what to do, and whether a write may have
// happened all the same.

import { DatabaseError } from 'pg'
import { lasting, passing } from '../../sql/failure-advice.ts'
import type { Advice } from '../../sql/failure-advice.ts'
import { serverFailure } from '../../sql/server/server-failure.ts'
import type { FailureContext, FoundFailure } from '../../sql/server/server-failure.ts'
import type { StoreError } from '../../store.ts'

const DISK_FULL = '53100'
// By SQLSTATE.
const BY_STATE: Readonly<Record<string, Advice>> = {
  '25006': passing('it is read-only (a standby, or switched to read-only): connect to the primary'),
  '28000': lasting('it does not let this user in from here: see pg_hba.conf; if it asks for TLS, set PG_SSL=require'),
  '28P01': lasting('the password is wrong, or there is no such user'),
  '40001': passing('it could not order this with other transactions'),
  '40P01': passing('this and another transaction waited for each other'),
  '42501': lasting('this user may not do that'),
  [DISK_FULL]: passing('its disk is full: free some space, and writing goes on by itself'),
  '53200': passing('it is out of memory'),
  '53300': passing('it has no connection left: raise max_connections, or lower PG_POOL_SIZE of the nodes'),
  '55P03': passing('somebody holds a lock for too long'),
  '57014': passing('it took longer than PG_STATEMENT_TIMEOUT'),
  '57P01': passing('an administrator ended the connection or stopped the server'),
  '57P02': passing('the server crashed'),
  '57P03': passing('it is starting or stopping'),
  DT001: lasting('two timers have the same key'),
}

const NONE_FREE = 'no connection became free in time: raise PG_POOL_SIZE, or ask for less at once'
const BY_TEXT: readonly (readonly [RegExp, string])[] = [
  [/timeout exceeded when trying to connect/, NONE_FREE],
  [/connection timeout|timeout expired/, 'it does not answer: check host, port and firewalls'],
  [/client password must be/, 'it asks for a password: set PG_PASSWORD, or write it into the URL'],
  [/does not support SSL/, 'it has no TLS: set PG_SSL=disable, or switch TLS on in the server'],
]

export function failureOf(error: unknown, context: FailureContext): StoreError {
  const state = stateOf(error)
  return serverFailure(error, context, {
    server: 'PostgreSQL',
    settings: 'PG',
    advice: state === null ? null : adviceOf(state, context),
    byText: BY_TEXT,
    endsConnection: endsConnection(error),
    isFull: state === DISK_FULL,
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

function adviceOf(state: string, { location, stage }: FailureContext): FoundFailure['advice'] {
  if (state === '3D000') {
    const create = `CREATE DATABASE ${quoted(location.database)} OWNER ${quoted(location.user)}`
    return lasting(`there is no such database: ${create}`)
  }
  if (state === '42501' && stage === 'migrate') {
    const grant = `GRANT CREATE ON SCHEMA public TO ${quoted(location.user)}`
    return lasting(`this user may not create the tables: ${grant}, or make it the owner of the database`)
  }
  // A class of errors in the statement itself (a table that is gone, a value that does not fit) stays as it is.
  return BY_STATE[state] ?? { advice: null, retryable: !/^(22|42)/.test(state) }
}

function quoted(identifier: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(identifier) ? identifier : `"${identifier.replaceAll('"', '""')}"`
}
