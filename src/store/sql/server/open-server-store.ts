// Opens a store in a database on a server: looks at the database, makes connections, and puts both together.

import type { Logger } from '../../../runtime/telemetry/logger.ts'
import type { Store } from '../../store.ts'
import { prepareDatabase } from './first-look.ts'
import type { FirstLook } from './first-look.ts'
import { lanesOf } from './lanes.ts'
import type { Lane, LaneOptions, Lanes } from './lanes.ts'
import { ServerStore } from './server-store.ts'
import type { LaneConnections, ServerEngine } from './server-store.ts'

export type ServerOptions = {
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

type Parts<Client, Found, Connections> = {
  readonly look: FirstLook<Client, Found>
  readonly connections: (options: LaneOptions, lane: Lane) => Connections
  readonly engine: (lanes: Lanes<Connections>, found: Found) => ServerEngine
}

export async function openServerStore<Client, Found, Connections extends LaneConnections>(
  options: ServerOptions,
  { look, connections, engine }: Parts<Client, Found, Connections>,
): Promise<Store> {
  const { poolSize = POOL_SIZE_DEFAULT, statementTimeoutMs = STATEMENT_TIMEOUT_DEFAULT_MS } = options
  const { shards, logger = null, beatWithinMs = BEAT_WITHIN_DEFAULT_MS } = options
  const { row, found } = await prepareDatabase(look, shards ?? SHARDS_DEFAULT, logger)
  if (shards !== undefined && shards !== row.shards) {
    logger?.warn(
      { configured: shards, shards: row.shards },
      'the configured number of shards is ignored: it counted when this database was first used; `duetime reshard` changes it',
    )
  }
  const lanes = lanesOf({ poolSize, statementTimeoutMs, beatWithinMs }, connections)
  return new ServerStore(engine(lanes, found), { lanes, row, logger })
}
