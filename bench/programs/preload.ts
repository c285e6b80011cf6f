// Stores timers past the service and the commits of its adapter, as rows of the same form: where the server that stands for an
// engine is so slow that storing them in the ordinary way would take most of an hour. No service runs meanwhile. What the
// timers count for is left out: nobody asks for totals here.

import { setup, answerQuestions } from '../harness/helper-side.ts'
import { farTimers } from '../harness/stored-timers.ts'
import { shardOf } from '../../src/core/timer/ids.ts'
import type { ShardId, Timer } from '../../src/core/timer/timer.ts'
import { systemClock } from '../../src/runtime/clock/clock.ts'
import { loadConfig } from '../../src/runtime/config/config.ts'
import { silentLogger } from '../../src/runtime/telemetry/logger.ts'
import { inBatches } from '../../src/store/keyed/in-batches.ts'
import { dueSort } from '../../src/store/keyed/sort-keys.ts'
import { timerFields } from '../../src/store/keyed/timer-fields.ts'
import { openStore } from '../../src/store/open-store.ts'

export type Preload = { readonly firstId: number; readonly count: number }

type Row = { readonly shard: ShardId; readonly timer: Timer }
type Write = (rows: readonly Row[]) => Promise<unknown>

const IN_FLIGHT = 8
const FAR = { afterDays: 2, days: 363 }

const { url, env } = setup<{ url: string; env: Readonly<Record<string, string>> }>()
Object.assign(process.env, env) // drivers have variables of their own
const config = loadConfig({ env: { DATABASE_URL: url } })
const store = await openStore(config, silentLogger())
const { shards } = store.capabilities
await store.close()
const { write, rowsAtOnce } = await writer()

answerQuestions<Preload, object>({}, async ({ firstId, count }) => {
  const rows = farTimers(firstId, count, FAR).map((timer) => ({ shard: shardOf(timer.uuid, shards), timer }))
  const waiting = inBatches(rows, rowsAtOnce)
  const writeSome = async () => {
    for (let some = waiting.pop(); some !== undefined; some = waiting.pop()) await write(some)
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, writeSome))
  return {}
})

async function writer(): Promise<{ readonly write: Write; readonly rowsAtOnce: number }> {
  const { database } = config
  switch (database.type) {
    case 'dynamodb': {
      const { Table } = await import('../../src/store/dynamodb/table.ts')
      const { marshalled } = await import('../../src/store/dynamodb/items.ts')
      const { timerItem } = await import('../../src/store/dynamodb/timer-items.ts')
      const { timerKey } = await import('../../src/store/dynamodb/keys.ts')
      const table = await Table.connect(database, systemClock)
      const itemOf = ({ shard, timer }: Row) => marshalled(timerItem(timerKey(shard, timer.uuid), timer, []))
      const putBatch: Write = async (rows) => {
        const requests = rows.map((row) => ({ PutRequest: { Item: itemOf(row) } }))
        const RequestItems = { [table.name]: requests }
        const { UnprocessedItems: left } = await table.attempt(() => table.db.batchWriteItem({ RequestItems }))
        if (Object.keys(left ?? {}).length > 0) throw new Error('some of a batch were not written')
      }
      return { write: putBatch, rowsAtOnce: 25 }
    }
    case 'mongodb': {
      const { Documents } = await import('../../src/store/mongodb/documents.ts')
      const { collection } = await Documents.connect(database, systemClock)
      const insert: Write = (rows) =>
        collection.insertMany(
          rows.map(({ shard, timer }) => ({
            ...{ _id: timer.uuid, s: shard, n: 0, k: dueSort(timer) },
            ...timerFields(timer),
          })),
          { ordered: false, writeConcern: { w: 1 } },
        )
      return { write: insert, rowsAtOnce: 500 }
    }
    default:
      throw new Error(`${database.type} stores timers fast enough in the ordinary way`)
  }
}
