// The first look at a PostgreSQL database: whether the server will do.

import pg from 'pg'
import type { PostgresLocation } from '../../../runtime/config/databases/postgres.ts'
import { versionProblem } from '../../sql/server/first-look.ts'
import type { Checked, FirstLook } from '../../sql/server/first-look.ts'
import { clientConfig } from '../connection/connections.ts'
import { FAILURES } from '../connection/failures.ts'
import { setupOn } from './migrations.ts'

export const OLDEST = [13] // with the sorts and settings that the statements use

export function firstLook(location: PostgresLocation): FirstLook<pg.Client, null> {
  const open = async () => {
    const client = new pg.Client(clientConfig(location))
    client.on('error', () => {})
    await client.connect()
    return client
  }
  return { location, failures: FAILURES, open, close: (client) => client.end().catch(() => {}), check, setupOn }
}

async function check(client: pg.Client): Promise<Checked<null>> {
  // A later step may rewrite a large table: it has the time it needs.
  await client.query('SET statement_timeout = 0')
  const { rows } = await client.query<Record<'version' | 'encoding' | 'fsync', string>>(`
    SELECT current_setting('server_version') AS version, current_setting('server_encoding') AS encoding,
      current_setting('fsync') AS fsync`)
  const { version, encoding, fsync } = rows[0]!
  const unfit = `the database has the encoding ${encoding}, and not every text can be stored in it: create one with ENCODING 'UTF8'`
  const unsafe = 'fsync is off in the PostgreSQL server: a power failure there can lose acknowledged timers'
  return {
    problem: versionProblem('PostgreSQL', version, OLDEST) ?? (encoding === 'UTF8' ? null : unfit),
    warnings: fsync === 'off' ? [unsafe] : [],
    found: null,
  }
}
