// What went wrong between here and PostgreSQL, said so that the reader knows what to do, and whether a write may have
// happened all the same.

import { DatabaseError } from 'pg'
import { lasting, passing } from '../../sql/failure-advice.ts'
import { knownAdvice, knownFailures } from '../../sql/server/failures/known-failures.ts'
import { ServerFailures } from '../../sql/server/failures/server-failures.ts'
import type { FailureContext, Meaning } from '../../sql/server/failures/server-failures.ts'

const KNOWN = knownFailures('PG')
const { noneFree, noTls } = knownAdvice('PG')

// By SQLSTATE.
const BY_STATE: Readonly<Record<string, Meaning>> = {
  '25006': KNOWN.readOnly,
  '28000': lasting('it does not let this user in from here: see pg_hba.conf; if it asks for TLS, set PG_SSL=require'),
  '28P01': KNOWN.wrongPassword,
  '3D000': { advice: howToCreate, retryable: false },
  '40001': KNOWN.conflict,
  '40P01': KNOWN.deadlock,
  '42501': { advice: whatIsForbidden, retryable: false },
  '53100': KNOWN.diskFull,
  '53200': passing('it is out of memory'),
  '53300': KNOWN.noConnectionLeft,
  '55P03': KNOWN.lockHeld,
  '57014': KNOWN.tooSlow,
  '57P01': KNOWN.stopped,
  '57P02': passing('the server crashed'),
  '57P03': passing('it is starting or stopping'),
}

export const FAILURES = new ServerFailures({
  server: 'PostgreSQL',
  settings: 'PG',
  meaningOf,
  byText: [
    [/timeout exceeded when trying to connect/, noneFree],
    [/connection timeout|timeout expired/, 'it does not answer: check host, port and firewalls'],
    [/client password must be/, 'it asks for a password: set PG_PASSWORD, or write it into the URL'],
    [/does not support SSL/, noTls],
  ],
})

function meaningOf(error: unknown): Meaning | null {
  if (!(error instanceof DatabaseError)) return null
  const { code = '', severity } = error
  // A class of errors in the statement itself (a table that is gone, a value that does not fit) stays as it is.
  const meaning = BY_STATE[code] ?? { advice: null, retryable: !/^(22|42)/.test(code) }
  const isOver = severity === 'FATAL' || severity === 'PANIC' || /^(08|57P|25P03)/.test(code)
  return { ...meaning, endsConnection: isOver }
}

function howToCreate({ location: { database, user } }: FailureContext): string {
  return `there is no such database: CREATE DATABASE ${quoted(database)} OWNER ${quoted(user)}`
}

function whatIsForbidden({ location, stage }: FailureContext): string {
  if (stage !== 'migrate') return KNOWN.forbidden.advice
  const grant = `GRANT CREATE ON SCHEMA public TO ${quoted(location.user)}`
  return `this user may not create the tables: ${grant}, or make it the owner of the database`
}

function quoted(identifier: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(identifier) ? identifier : `"${identifier.replaceAll('"', '""')}"`
}
