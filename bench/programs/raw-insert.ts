// The raw limit for batches: node:sqlite alone, in a process of its own, with the service's schema, pragmas and INSERT,
// a thousand rows to a transaction, each transaction durable. The rows are made beforehand; only writing them is timed,
// checkpoints included, which move the log into the file once it has grown as large as the service lets it grow.

import { answerQuestions, setup } from '../harness/helper-side.ts'
import { farTimers } from '../harness/stored-timers.ts'
import type { DueSpread } from '../harness/stored-timers.ts'
import { CHECKPOINT_PAGES } from '../../src/store/sqlite/file/checkpoints.ts'
import { openForWriting } from '../../src/store/sqlite/file/connection.ts'
import { SQLITE } from '../../src/store/sqlite/dialect.ts'
import { insertTimer, rowValues } from '../../src/store/sql/timer-sql.ts'

export type RawInserts = {
  readonly transactions: number
  readonly rowsPerTransaction: number
  readonly firstId: number
  readonly due: DueSpread
}

const SHARD = 0
const CACHE_MIB = 256

const db = openForWriting({ path: setup<{ path: string }>().path, cacheMiB: CACHE_MIB })
const insert = db.prepare(insertTimer(SQLITE))
const logSize = db.prepare('PRAGMA wal_checkpoint(NOOP)')

answerQuestions<RawInserts, { perSecond: number }>({}, ({ transactions, rowsPerTransaction, firstId, due }) => {
  const rows = farTimers(firstId, transactions * rowsPerTransaction, due).map((timer) => rowValues(timer, SHARD))
  const startedAt = performance.now()
  for (let from = 0; from < rows.length; from += rowsPerTransaction) {
    db.exec('BEGIN IMMEDIATE')
    for (let index = from; index < from + rowsPerTransaction; index++) insert.run(...rows[index]!)
    db.exec('COMMIT')
    if ((logSize.get() as { log: number }).log > CHECKPOINT_PAGES) db.exec('PRAGMA wal_checkpoint(PASSIVE)')
  }
  return { perSecond: (rows.length / (performance.now() - startedAt)) * 1_000 }
})
