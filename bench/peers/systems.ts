// Who takes part.

import { mariadbPlace, postgresPlace, redisPlace, servicePlace, sqlitePlace } from './servers.ts'
import type { Place } from './servers.ts'

export type Contestant = {
  readonly name: string
  readonly module: string
  readonly place: Place
  readonly isDuetime: boolean
  /** Functions of the program can be called: it is a library. */
  readonly isLibrary: boolean
}

export async function contestants(
  log: (text: string) => void,
): Promise<{ readonly all: readonly Contestant[]; stop(): Promise<void> }> {
  const redis = redisPlace()
  const postgres = await postgresPlace(log)
  const sqlite = sqlitePlace()
  const mariadb = mariadbPlace()
  if (mariadb === null) log('left out: Duetime on MariaDB; node scripts/servers/main.ts install mariadb')
  const peer = { isDuetime: false, isLibrary: true }
  const library = { module: 'duetime-embedded', isDuetime: true, isLibrary: true }
  const service = { module: 'duetime-http', isDuetime: true, isLibrary: false }
  const all: readonly Contestant[] = [
    { name: 'BullMQ', module: 'bullmq', place: redis, ...peer },
    { name: 'pg-boss', module: 'pg-boss', place: postgres, ...peer },
    { name: 'graphile-worker', module: 'graphile-worker', place: postgres, ...peer },
    { name: 'Duetime library, SQLite', place: sqlite, ...library },
    { name: 'Duetime library, PostgreSQL', place: postgres, ...library },
    ...(mariadb === null ? [] : [{ name: 'Duetime library, MariaDB', place: mariadb, ...library }]),
    { name: 'Duetime service, SQLite', place: servicePlace(sqlite), ...service },
    { name: 'Duetime service, PostgreSQL', place: servicePlace(postgres), ...service },
  ]
  return { all, stop: () => postgres.stop() }
}
