// The store in PostgreSQL. What changes something is one round trip of one statement, so there is no transaction that a lost
// connection could leave open.

import type { Logger } from '../../runtime/telemetry/logger.ts'
import { parsePostgresUrl } from '../../runtime/config/databases/postgres.ts'
import type { PostgresLocation } from '../../runtime/config/databases/postgres.ts'
import { ServerStore } from '../sql/server/server-store.ts'
import type { ServerEngine } from '../sql/server/server-store.ts'
import type { Query } from '../sql/statement.ts'
import type { Store } from '../store.ts'
import { commitQuery, partResults } from './commit.ts'
import type { Query as NamedQuery } from './connection/connections.ts'
import { lanesFor } from './connection/lanes.ts'
import type { Lanes } from './connection/lanes.ts'
import { foldQuery, forgetQuery, FORGOTTEN_MAX } from './counter-log.ts'
import { POSTGRES_QUESTIONS } from './dialect.ts'
import { beatAnswer, beatQuery, claimedEpochs, claimQuery, releaseQuery } from './ownership.ts'
import { prepareDatabase } from './setup/prepare-database.ts'

export type PostgresOptions = ({ readonly url: string } | PostgresLocation) & {
  /** Connections of this node, 5 at least. */
  readonly poolSize?: number
  readonly statementTimeoutMs?: number
  /** A beat that has not been answered by then is given up, so that the next one can be made before others take the shards. */
  readonly beatWithinMs?: number
  /** How many shards a new database gets. */
  readonly shards?: number
  readonly logger?: Logger
}

const SHARDS_DEFAULT = 64
const POOL_SIZE_DEFAULT = 8
const STATEMENT_TIMEOUT_DEFAULT_MS = 10_000
const BEAT_WITHIN_DEFAULT_MS = 2_000
const PING_SQL = 'UPDATE timer_store SET pinged_at = now()'

export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  const {
    poolSize = POOL_SIZE_DEFAULT,
    statementTimeoutMs = STATEMENT_TIMEOUT_DEFAULT_MS,
    shards,
    logger = null,
  } = options
  const { beatWithinMs = BEAT_WITHIN_DEFAULT_MS } = options
  const location = 'url' in options ? parsePostgresUrl(options.url) : options
  const database = await prepareDatabase({ location, shards: shards ?? SHARDS_DEFAULT, logger })
  if (shards !== undefined && shards !== database.shards) {
    logger?.warn(
      { configured: shards, shards: database.shards },
      'the configured number of shards is ignored: it was fixed when this database was first used',
    )
  }
  const lanes = lanesFor(location, { poolSize, statementTimeoutMs, beatWithinMs })
  return new ServerStore(postgresEngine(lanes), database, logger)
}

function postgresEngine(lanes: Lanes): ServerEngine {
  const { commits, ownership, slow } = lanes
  // Of statements by their text. There are as many as combinations of filters, a few dozen.
  const names = new Map<string, string>()
  const named = ({ text, values }: Query): NamedQuery => {
    let name = names.get(text)
    if (name === undefined) names.set(text, (name = `question-${names.size}`))
    return { name, text, values }
  }
  return {
    name: 'postgres',
    questions: POSTGRES_QUESTIONS,
    run: (lane, effect) => (query) => lanes[lane][effect](named(query)),
    snapshot: (lane, work) => lanes[lane].snapshot((run) => work((query) => run(named(query)))),
    ping: () => commits.write({ name: 'ping', text: PING_SQL, values: [] }),
    beat: async (beat) => beatAnswer((await ownership.write(beatQuery(beat)))[0]!),
    claimAll: async (claims) => claimedEpochs(await ownership.write(claimQuery(claims))),
    releaseAll: (owned) => ownership.write(releaseQuery(owned)),
    commit: async (parts) => partResults(parts, await commits.write(commitQuery(parts))),
    foldSome: async (entriesMax) => ((await slow.write(foldQuery(entriesMax)))[0]![0] as unknown) === true,
    forget: async (slotsBefore) => (await slow.write(forgetQuery(slotsBefore)))[0]![0] === FORGOTTEN_MAX,
    end: () => Promise.all(Object.values(lanes).map((lane) => lane.end())),
    backupAdvice: 'back up a PostgreSQL database with its own tools, such as pg_dump',
  }
}
