// Who takes part, and what each can do.

import { missingTools } from '../../scripts/tools/tools.ts'
import { mariadbPlace, postgresPlace, sqlitePlace } from './places/databases.ts'
import { natsPlace } from './places/nats.ts'
import type { Place } from './places/place.ts'
import { redisPlace } from './places/redis.ts'
import { servicePlace } from './places/service.ts'
import { temporalPlace } from './places/temporal.ts'

export type Contestant = {
  readonly name: string
  readonly module: string
  readonly place: Place
  readonly isDuetime: boolean
  /** Functions of the program can be called: it is a library, or a client that fetches what is due. */
  readonly isLibrary: boolean
  /** Where it would not be done with the work of the others in time: what it is asked for instead. */
  readonly atMost?: Capacity
}

export type Capacity = {
  readonly stored?: number
  readonly dueAtOnce?: number
  readonly perSecond?: number
}

const INSTALL_MARIADB = 'needs: node scripts/servers/main.ts install mariadb'

const peer = { isDuetime: false, isLibrary: true }
const library = { module: 'duetime-embedded', isDuetime: true, isLibrary: true }
const service = { module: 'duetime-http', isDuetime: true, isLibrary: false }

export async function contestants(
  log: (text: string) => void,
): Promise<{ readonly all: readonly Contestant[]; stop(): Promise<void> }> {
  const postgres = await postgresPlace(log)
  const sqlite = sqlitePlace()
  const mariadb = mariadbPlace()
  /** None, where what it needs is missing. */
  const onPlace = (place: Place | null, toInstall: string, contestant: Omit<Contestant, 'place'>): Contestant[] => {
    if (place === null) log(`left out: ${contestant.name}; ${toInstall}`)
    return place === null ? [] : [{ ...contestant, place }]
  }
  const all: readonly Contestant[] = [
    ...onPlace(redisPlace(), 'needs: apt-get install --no-install-recommends redis-server', {
      ...peer,
      name: 'BullMQ',
      module: 'bullmq',
    }),
    { ...peer, name: 'pg-boss', module: 'pg-boss', place: postgres },
    { ...peer, name: 'graphile-worker', module: 'graphile-worker', place: postgres },
    ...onPlace(natsPlace(), missingTools('nats-server') ?? '', {
      ...peer,
      name: 'NATS',
      module: 'nats',
      atMost: { dueAtOnce: 10_000 },
    }),
    ...onPlace(temporalPlace(), missingTools('temporal') ?? '', {
      ...peer,
      name: 'Temporal',
      module: 'temporal',
      atMost: { stored: 500, dueAtOnce: 300, perSecond: 20 },
    }),
    { ...library, name: 'Duetime library, SQLite', place: sqlite },
    { ...library, name: 'Duetime library, PostgreSQL', place: postgres },
    ...onPlace(mariadb, INSTALL_MARIADB, {
      ...library,
      name: 'Duetime library, MariaDB',
      atMost: { stored: 200_000 },
    }),
    { ...service, name: 'Duetime service, SQLite', place: servicePlace(sqlite) },
    { ...service, name: 'Duetime service, PostgreSQL', place: servicePlace(postgres) },
    ...onPlace(mariadb === null ? null : servicePlace(mariadb), INSTALL_MARIADB, {
      ...service,
      name: 'Duetime service, MariaDB',
      atMost: { stored: 200_000 },
    }),
  ]
  return { all, stop: () => postgres.stop() }
}
