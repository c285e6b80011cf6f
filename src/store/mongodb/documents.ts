// The one collection, over the driver, which is loaded when a URL asks for it. Writes wait until a majority has them on disk,
// and reads come from the primary. A call that fails is tried again here and not by the driver.
//
//   shard/<shard>                                  who may write, and the last commit; see shard-log.ts
//   <uuid>                                         a timer
//   count/<shard>/…, event/<shard>/…               counters and events
//   node/<node>, store/settings, store/ping
//
// Timers, counters and events have their shard as `s` and a sort key as `k`, by which they are read in order. `n` is the number of the
// commit that wrote them last. `gone` is when the time to live removes what has been deleted.

import type { Collection, Db, Document, Filter, MongoClient } from 'mongodb'
import type { ShardId } from '../../core/timer/timer.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import type { MongodbLocation } from '../../runtime/config/databases/mongodb.ts'
import { Attempts, storeError } from '../keyed/attempts.ts'
import type { Failures } from '../keyed/attempts.ts'
import { loadDriver } from '../driver.ts'
import { digits } from '../keyed/sort-keys.ts'
import type { Range } from '../keyed/sort-keys.ts'
import { DUPLICATE, kindOf } from './failures.ts'

export type Doc = Document & { readonly _id: string }
/** One write of one document. With `upsert`, one that does not match an existing document is refused. */
export type Update = { readonly q: Document; readonly u: Document; readonly upsert?: boolean }

const DRIVER = { database: 'MongoDB', name: 'mongodb' }
const COLLECTION = 'timers'
const DURABLE = { w: 'majority', journal: true } as const
const OPTIONS = {
  writeConcern: DURABLE,
  readConcern: { level: 'majority' },
  readPreference: 'primary',
  retryWrites: false,
  retryReads: false,
  serverSelectionTimeoutMS: 2_000,
  connectTimeoutMS: 2_000,
  socketTimeoutMS: 5_000,
  waitQueueTimeoutMS: 2_000, // for a free connection; the driver would wait for ever
} as const

export class Documents {
  readonly client: MongoClient
  readonly db: Db
  readonly collection: Collection<Doc>
  readonly clock: Clock
  readonly place: string
  readonly #attempts: Attempts

  private constructor(client: MongoClient, location: MongodbLocation, clock: Clock) {
    this.client = client
    this.db = client.db(location.database)
    this.collection = this.db.collection<Doc>(COLLECTION)
    this.clock = clock
    this.place = `database ${location.database} at ${location.hosts}`
    this.#attempts = new Attempts(clock, failuresAt(this.place))
  }

  static async connect(location: MongodbLocation, clock: Clock): Promise<Documents> {
    const { MongoClient: Client } = await loadDriver(DRIVER, () => import('mongodb'))
    const documents = new Documents(new Client(location.url, OPTIONS), location, clock)
    try {
      await documents.client.connect()
      return documents
    } catch (error) {
      await documents.client.close()
      throw storeError(failuresAt(documents.place), error, false)
    }
  }

  /**
   * Until it is done or has failed for good, with a StoreError. A request that the driver writes to a connection that has just ended is
   * never answered by it, until the signal aborts: it waits for such a socket to be drained.
   */
  attempt<T>(call: (over: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#attempts.make(call, signal)
  }

  find(filter: Filter<Doc>, options: { projection?: Document; sort?: Document; limit?: number } = {}): Promise<Doc[]> {
    const { limit } = options
    // All in one answer, as far as one can hold it.
    const find = { ...options, ...(limit !== undefined && { batchSize: limit }) }
    return this.attempt((signal) => this.collection.find(filter, { ...find, signal }).toArray() as Promise<Doc[]>)
  }

  /** Each by itself, in one round trip. The indexes of those that were refused. */
  update(updates: readonly Update[], mayStill: () => void = () => {}): Promise<ReadonlySet<number>> {
    const writeConcern = { w: DURABLE.w, j: DURABLE.journal }
    return this.attempt(async (signal) => {
      mayStill()
      const answer = await this.db.command({ update: COLLECTION, updates, ordered: false, writeConcern }, { signal })
      const errors = (answer['writeErrors'] ?? []) as readonly { index: number; code: number; errmsg: string }[]
      const failed =
        errors.find(({ code }) => code !== DUPLICATE) ?? (answer['writeConcernError'] as { errmsg: string })
      if (failed !== undefined) throw Object.assign(new Error(failed.errmsg), failed)
      return new Set(errors.map(({ index }) => index))
    })
  }
}

function failuresAt(place: string): Failures {
  return { database: DRIVER.database, place, kindOf }
}

/** Of counters and events. */
export function itemKey(shard: ShardId, sort: string): string {
  const [kind, ...rest] = sort.split('/')
  return `${kind}/${digits(shard)}/${rest.join('/')}`
}

export function keysIn({ from, to }: Range): Filter<Doc> {
  return { _id: { $gte: from, $lte: to } }
}
