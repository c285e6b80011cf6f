// The store in MySQL, MariaDB or TiDB. What changes something is one round trip of one message, which begins a transaction and
// ends it, so there is none that a lost connection could leave open.

import type { ServerLocation } from '../../runtime/config/databases/server-location.ts'
import { parseMysqlUrl } from '../../runtime/config/databases/mysql.ts'
import type { Lanes } from '../sql/server/lanes.ts'
import { openServerStore } from '../sql/server/open-server-store.ts'
import type { ServerOptions } from '../sql/server/open-server-store.ts'
import type { ServerEngine } from '../sql/server/server-store.ts'
import { questionsFor } from '../sql/questions/questions.ts'
import type { PartMax, Store } from '../store.ts'
import { commit, commitInMessages, move } from './commit.ts'
import { Connections } from './connection/connections.ts'
import { written } from './connection/literals.ts'
import { foldSome, forget } from './counter-log.ts'
import { MYSQL } from './dialect.ts'
import { beat, claimAll, releaseAll } from './ownership.ts'
import { prepareDatabase } from './setup/prepare-database.ts'

export type MysqlOptions = ({ readonly url: string } | ServerLocation) & ServerOptions

const PING = 'UPDATE timer_store SET pinged_at = CAST(UNIX_TIMESTAMP(SYSDATE(3)) * 1000 AS SIGNED)'
const PART_SHARE = 0.25 // of a message: escaped texts are up to twice as long, and numbers are written out

export async function openMysqlStore(options: MysqlOptions): Promise<Store> {
  const location = 'url' in options ? parseMysqlUrl(options.url) : options
  return openServerStore(options, {
    prepare: (shards, logger) => prepareDatabase({ location, shards, logger }),
    connections: (lane, name) => new Connections({ ...lane, location, isSole: name === 'commits' }),
    engine: (lanes, { packetBytesMax }) =>
      mysqlEngine(lanes, { items: Infinity, bytes: Math.floor(packetBytesMax * PART_SHARE) }),
  })
}

function mysqlEngine(lanes: Lanes<Connections>, partMax: PartMax): ServerEngine {
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
    move: (rows) => commits.use('write', (run) => move(rows, run)),
    foldSome: (entriesMax) => foldSome(slow, entriesMax),
    forget: (slotsBefore) => forget(slow, slotsBefore),
    end: () => Promise.all(Object.values(lanes).map((lane) => lane.end())),
    backupAdvice: 'back up a MySQL database with its own tools, such as mysqldump --single-transaction',
  }
}
