// The store in PostgreSQL. What changes something is one round trip of one statement, so there is no transaction that a lost
// connection could leave open.

import { parsePostgresUrl } from '../../runtime/config/databases/postgres.ts'
import type { PostgresLocation } from '../../runtime/config/databases/postgres.ts'
import type { Lanes } from '../sql/server/lanes.ts'
import { openServerStore } from '../sql/server/open-server-store.ts'
import type { ServerOptions } from '../sql/server/open-server-store.ts'
import type { ServerEngine } from '../sql/server/server-store.ts'
import type { Store } from '../store.ts'
import { commitInOrder } from './commit.ts'
import { Connections } from './connection/connections.ts'
import { foldQuery, forgetQuery, FORGOTTEN_MAX } from './counter-log.ts'
import { POSTGRES_QUESTIONS } from './dialect.ts'
import { isMoved, moveQuery } from './move.ts'
import { beatAnswer, beatQuery, claimedEpochs, claimQuery, releaseQuery } from './ownership.ts'
import { firstLook } from './setup/first-look.ts'

export type PostgresOptions = ({ readonly url: string } | PostgresLocation) & ServerOptions

const PING_SQL = 'UPDATE timer_store SET pinged_at = now()'

export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  const location = 'url' in options ? parsePostgresUrl(options.url) : options
  return openServerStore(options, {
    look: firstLook(location),
    connections: (lane, name) => {
      const plans = name === 'pages' ? 'each time' : 'once'
      return new Connections({ ...lane, location, plans, pipelined: name === 'commits' })
    },
    engine: postgresEngine,
  })
}

function postgresEngine({ commits, ownership, slow }: Lanes<Connections>): ServerEngine {
  return {
    name: 'postgres',
    questions: POSTGRES_QUESTIONS,
    ping: () => commits.write({ name: 'ping', text: PING_SQL, values: [] }),
    beat: async (beat) => beatAnswer((await ownership.write(beatQuery(beat)))[0]!),
    claimAll: async (claims) => claimedEpochs(await ownership.write(claimQuery(claims))),
    releaseAll: (owned) => ownership.write(releaseQuery(owned)),
    commit: (parts) => commitInOrder(parts, (query) => commits.write(query)),
    move: async (move) => isMoved(await commits.write(moveQuery(move))),
    foldSome: async (entriesMax) => ((await slow.write(foldQuery(entriesMax)))[0]![0] as unknown) === true,
    forget: async (slotsBefore) => (await slow.write(forgetQuery(slotsBefore)))[0]![0] === FORGOTTEN_MAX,
    backupAdvice: 'back up a PostgreSQL database with its own tools, such as pg_dump',
  }
}
