// The store in MySQL, MariaDB or TiDB. What changes something is one round trip of one message, which begins a transaction and
// ends it, so there is none that a lost connection could leave open.

import type { Logger } from '../../runtime/telemetry/logger.ts'
import type { ServerLocation } from '../../runtime/config/databases/server-location.ts'
import { parseMysqlUrl } from '../../runtime/config/databases/mysql.ts'
import { laneSizes } from '../sql/server/lanes.ts'
import type { Lane } from '../sql/server/lanes.ts'
import { ServerStore } from '../sql/server/server-store.ts'
import type { ServerEngine } from '../sql/server/server-store.ts'
import { questionsFor } from '../sql/questions/questions.ts'
import type { PartMax, Store } from '../store.ts'
import { commit, commitInMessages } from './commit.ts'
import { Connections } from './connection/connections.ts'
import { written } from './connection/literals.ts'
import { foldSome, forget } from './counter-log.ts'
import { MYSQL } from './dialect.ts'
import { beat, claimAll, releaseAll } from './ownership.ts'
import { prepareDatabase } from './setup/prepare-database.ts'

export type MysqlOptions = ({ readonly url: string } | ServerLocation) & {
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
const IDLE_MS = 60_000
const PING = 'UPDATE timer_store SET pinged_at = CAST(UNIX_TIMESTAMP(SYSDATE(3)) * 1000 AS SIGNED)'
const PART_SHARE = 0.25 // of a message: escaped texts are up to twice as long, and numbers are written out

export async function openMysqlStore(options: MysqlOptions): Promise<Store> {
  const { poolSize = POOL_SIZE_DEFAULT, statementTimeoutMs = STATEMENT_TIMEOUT_DEFAULT_MS } = options
  const { shards, logger = null, beatWithinMs = BEAT_WITHIN_DEFAULT_MS } = options
  const location = 'url' in options ? parseMysqlUrl(options.url) : options
  const database = await prepareDatabase({ location, shards: shards ?? SHARDS_DEFAULT, logger })
  if (shards !== undefined && shards !== database.shards) {
    logger?.warn(
      { configured: shards, shards: database.shards },
      'the configured number of shards is ignored: it was fixed when this database was first used',
    )
  }
  const lanes = lanesFor(location, { poolSize, statementTimeoutMs, beatWithinMs })
  const partMax = { items: Infinity, bytes: Math.floor(database.packetBytesMax * PART_SHARE) }
  return new ServerStore(mysqlEngine(lanes, partMax), database, logger)
}

type Lanes = Readonly<Record<Lane, Connections>>

function lanesFor(
  location: ServerLocation,
  times: { readonly poolSize: number; readonly statementTimeoutMs: number; readonly beatWithinMs: number },
): Lanes {
  const { poolSize, statementTimeoutMs, beatWithinMs } = times
  const shared = { location, statementTimeoutMs }
  // The server gives up first, and says so.
  const beats = { statementTimeoutMs: Math.round(beatWithinMs * 0.8), patienceMs: beatWithinMs }
  const max = laneSizes(poolSize)
  return {
    commits: new Connections({ ...shared, max: max.commits, idleMs: 0, isSole: true }),
    ownership: new Connections({ ...shared, ...beats, max: max.ownership, idleMs: 0 }),
    reads: new Connections({ ...shared, max: max.reads, idleMs: IDLE_MS }),
    slow: new Connections({ ...shared, max: max.slow, idleMs: IDLE_MS }),
    pages: new Connections({ ...shared, max: max.pages, idleMs: IDLE_MS }),
  }
}

function mysqlEngine(lanes: Lanes, partMax: PartMax): ServerEngine {
  const { commits, ownership, slow } = lanes
  return {
    name: 'mysql',
    questions: questionsFor(MYSQL),
    asksOfOneMoment: ['tallies'],
    run: (lane, effect) => async (query) => {
      if (effect === 'read') return lanes[lane].read(query)
      return (await lanes[lane].write([written(query)]))[0]!.rows
    },
    snapshot: (lane, work) => lanes[lane].snapshot(work),
    ping: () => commits.write([PING]),
    beat: (own) => beat(ownership, own),
    claimAll: (claims) => claimAll(ownership, claims),
    releaseAll: (owned) => releaseAll(ownership, owned),
    partMax,
    commit: (parts) =>
      commitInMessages(parts, partMax.bytes, (some) => commits.use('write', (run) => commit(some, run))),
    foldSome: (entriesMax) => foldSome(slow, entriesMax),
    forget: (slotsBefore) => forget(slow, slotsBefore),
    end: () => Promise.all(Object.values(lanes).map((lane) => lane.end())),
    backupAdvice: 'back up a MySQL database with its own tools, such as mysqldump --single-transaction',
  }
}
