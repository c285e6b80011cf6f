// The store in MySQL, MariaDB or TiDB. What changes something is one round trip of one message, which begins a transaction and
// ends it, so there is none that a lost connection could leave open.

import type { ServerLocation } from '../../runtime/config/databases/server-location.ts'
import { parseMysqlUrl } from '../../runtime/config/databases/mysql.ts'
import type { Lanes } from '../sql/server/lanes.ts'
import { openServerStore } from '../sql/server/open-server-store.ts'
import type { ServerOptions } from '../sql/server/open-server-store.ts'
import type { ServerEngine } from '../sql/server/server-store.ts'
import { MessageCommits } from '../sql/server/commit/message-commits.ts'
import { questionsFor } from '../sql/questions/questions.ts'
import type { Store } from '../store.ts'
import { BEGIN, COMMIT, Connections, ROLLBACK } from './connection/connections.ts'
import { isMiss } from './connection/failures.ts'
import { foldSome, forget } from './counter-log.ts'
import { MYSQL } from './dialect.ts'
import { beat, claimAll, NOW_MS, releaseAll } from './ownership.ts'
import { firstLook } from './setup/first-look.ts'

export type MysqlOptions = ({ readonly url: string } | ServerLocation) & ServerOptions

const PING = { text: `UPDATE timer_store SET pinged_at = ${NOW_MS}`, values: [] }
const PART_SHARE = 0.25 // of a message: escaped texts are up to twice as long, and numbers are written out

const MESSAGES = new MessageCommits({
  dialect: MYSQL,
  failIf: (condition) => `EXP(1000 * (${condition}))`,
  isMiss,
  keepEntries: 'ON DUPLICATE KEY UPDATE timer_uuid = VALUES(timer_uuid)',
  begin: BEGIN,
  commit: COMMIT,
  rollback: ROLLBACK,
})

export async function openMysqlStore(options: MysqlOptions): Promise<Store> {
  const location = 'url' in options ? parseMysqlUrl(options.url) : options
  return openServerStore(options, {
    look: firstLook(location),
    connections: (lane, name) => new Connections({ ...lane, location, isSole: name === 'commits' }),
    engine: (lanes, { packetBytesMax }) => mysqlEngine(lanes, Math.floor(packetBytesMax * PART_SHARE)),
  })
}

function mysqlEngine({ commits, ownership, slow }: Lanes<Connections>, partBytesMax: number): ServerEngine {
  return {
    name: 'mysql',
    questions: questionsFor(MYSQL),
    asksOfOneMoment: ['tallies'],
    ping: () => commits.write(PING),
    beat: (own) => beat(ownership, own),
    claimAll: (claims) => claimAll(ownership, claims),
    releaseAll: (owned) => releaseAll(ownership, owned),
    partMax: { items: Infinity, bytes: partBytesMax },
    commit: (parts) => commits.messages((run) => MESSAGES.commit(parts, run)),
    move: (rows) => commits.messages((run) => MESSAGES.move(rows, run)),
    foldSome: (entriesMax) => foldSome(slow, entriesMax),
    forget: (slotsBefore) => forget(slow, slotsBefore),
    backupAdvice: 'back up a MySQL database with its own tools, such as mysqldump --single-transaction',
  }
}
