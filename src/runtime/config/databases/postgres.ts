// The URL of a PostgreSQL database.

import { parseServerUrl, TlsMode } from './server-location.ts'
import type { ServerLocation, ServerUrl } from './server-location.ts'

export type PostgresLocation = ServerLocation

export const POSTGRES_PORT = 5432

const URL_FORM: ServerUrl = {
  schemes: ['postgres', 'postgresql'],
  form: 'postgres://user:password@host:5432/database',
  port: POSTGRES_PORT,
  parameters: { host: 'host', mode: 'sslmode', ca: 'sslrootcert', cert: 'sslcert', key: 'sslkey' },
  modes: Object.fromEntries(Object.values(TlsMode).map((mode) => [mode, mode])),
}

/** Throws a RangeError that says what is right, without repeating what was given. */
export function parsePostgresUrl(text: string): PostgresLocation {
  return parseServerUrl(text, URL_FORM)
}
