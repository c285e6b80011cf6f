// The table, over the SDK, which is loaded when a URL asks for it. Every read is consistent. A call that fails is tried again
// here and not by the SDK, since only who sees each attempt knows whether one of them may have been done.

import type { BatchGetItemCommandOutput, BatchWriteItemCommandInput, DynamoDB } from '@aws-sdk/client-dynamodb'
import type { ConsumedCapacity as Used, QueryCommandOutput } from '@aws-sdk/client-dynamodb'
import type { Clock } from '../../runtime/clock/clock.ts'
import type { DynamodbLocation } from '../../runtime/config/databases/dynamodb.ts'
import { Semaphore } from '../../runtime/semaphore.ts'
import { Attempts } from '../keyed/attempts.ts'
import { skewOf } from '../keyed/clock-skew.ts'
import { loadDriver } from '../driver.ts'
import { inBatches } from '../keyed/in-batches.ts'
import { kindOf, messageOf } from './failures.ts'
import { marshalled, plain, prefixed, transactItem } from './items.ts'
import type { Item } from '../keyed/timer-fields.ts'
import type { Expression, Key, Write } from './items.ts'
import { DUE_INDEX } from './keys.ts'
import type { Range } from '../keyed/sort-keys.ts'

const TIMEOUTS = { connectionTimeout: 2_000, requestTimeout: 5_000, throwOnRequestTimeout: true }
const AGENT = { maxSockets: 64 }
const TRANSACTIONS_MAX = 16 // at once: thousands a second at the usual ten milliseconds, and a slow server is not buried
const GET_KEYS_MAX = 100
const DELETE_KEYS_MAX = 25
const COUNTED = { ReturnConsumedCapacity: 'TOTAL' } as const
const DRIVER = { database: 'DynamoDB', name: '@aws-sdk/client-dynamodb' }

type Consumed = { read: number; write: number }
/** `attributes`: these only. */
export type RangeOptions = { readonly limit?: number; readonly attributes?: string | undefined }

export class Table {
  readonly name: string
  readonly db: DynamoDB
  /** Until it is done or has failed for good: with the SDK's error when a condition was not met, else a StoreError. */
  readonly attempt: Attempts['make']
  readonly #transactions = new Semaphore(TRANSACTIONS_MAX)
  /** Capacity units, by all who share it. */
  readonly consumed: Consumed
  /** How far this machine's clock is ahead of the server's, which shows whole seconds; zero as long as they may agree. */
  skewMs = 0

  private constructor(db: DynamoDB, location: DynamodbLocation, clock: Clock, consumed: Consumed) {
    this.db = db
    this.consumed = consumed
    this.name = location.table
    const attempts = new Attempts(clock, { database: DRIVER.database, place: placeOf(location), kindOf, messageOf })
    this.attempt = (call, signal) => attempts.make(call, signal)
    db.middlewareStack.add(
      (next) => async (request) => {
        const sentAt = clock.now()
        const result = await next(request)
        const { headers } = result.response as { readonly headers?: Readonly<Record<string, string>> }
        // The server answered in the second that it shows.
        const date = Date.parse(headers?.['date'] ?? '')
        if (!Number.isNaN(date)) this.skewMs = skewOf({ sentAt, answeredAt: clock.now() }, [date, date + 1_000])
        return result
      },
      { step: 'deserialize', priority: 'low' },
    )
    db.middlewareStack.add((next, { commandName = '' }) => async (request) => {
      const result = await next(request)
      const { ConsumedCapacity: used = [] } = result.output as { ConsumedCapacity?: Used | Used[] }
      const kind = /Get|Query/.test(commandName) ? 'read' : 'write'
      for (const { CapacityUnits: units = 0 } of [used].flat()) consumed[kind] += units
      return result
    })
  }

  /** Of a table that is being made. */
  async untilReady(): Promise<void> {
    const { waitUntilTableExists: wait } = await import('@aws-sdk/client-dynamodb')
    await this.attempt(() => wait({ client: this.db, maxWaitTime: 120, minDelay: 1 }, { TableName: this.name }))
  }

  static async connect(location: DynamodbLocation, clock: Clock, consumed = { read: 0, write: 0 }): Promise<Table> {
    const { DynamoDB: Client } = await loadDriver(DRIVER, () => import('@aws-sdk/client-dynamodb'))
    const { region, endpoint } = location
    const requestHandler = { ...TIMEOUTS, httpAgent: AGENT, httpsAgent: AGENT }
    const client = new Client({ region, ...(endpoint !== null && { endpoint }), maxAttempts: 1, requestHandler })
    return new Table(client, location, clock, consumed)
  }

  async get(key: Key): Promise<Item | null> {
    return (await this.getMany([key]))[0] ?? null
  }

  /** In no particular order. Each key once. */
  async getMany(keys: readonly Key[], attributes?: string): Promise<Item[]> {
    const batches = inBatches(keys, GET_KEYS_MAX).map(async (batch) => {
      const found: Item[] = []
      for (let left = batch.map(marshalled); left.length > 0;) {
        const RequestItems = { [this.name]: { Keys: left, ConsistentRead: true, ProjectionExpression: attributes } }
        const answer: BatchGetItemCommandOutput = await this.attempt(() =>
          this.db.batchGetItem({ RequestItems, ...COUNTED }),
        )
        found.push(...(answer.Responses?.[this.name] ?? []).map(plain))
        left = answer.UnprocessedKeys?.[this.name]?.Keys ?? []
      }
      return found
    })
    return (await Promise.all(batches)).flat()
  }

  /** The items of a partition in a range of sort keys, in order. */
  async query(partition: string, { from, to }: Range, options: RangeOptions = {}): Promise<Item[]> {
    const { limit = Infinity, attributes } = options
    if (from > to) return []
    // Keys of timers in their order begin with a digit, and are those of the index.
    const byDue = from < 'A'
    const query = {
      ...COUNTED,
      TableName: this.name,
      ConsistentRead: true,
      KeyConditionExpression: `pk = :pk AND ${byDue ? 'due' : 'sk'} BETWEEN :from AND :to`,
      ExpressionAttributeValues: prefixed({ pk: partition, from, to }),
      IndexName: byDue ? DUE_INDEX : undefined,
      ProjectionExpression: attributes,
      Select: byDue && attributes === undefined ? ('ALL_ATTRIBUTES' as const) : undefined,
    }
    const items: Item[] = []
    let ExclusiveStartKey: QueryCommandOutput['LastEvaluatedKey']
    do {
      const page = { ...query, Limit: limit === Infinity ? undefined : limit - items.length, ExclusiveStartKey }
      const answer: QueryCommandOutput = await this.attempt(() => this.db.query(page))
      items.push(...(answer.Items ?? []).map(plain))
      ExclusiveStartKey = answer.LastEvaluatedKey
    } while (ExclusiveStartKey !== undefined && items.length < limit)
    return items
  }

  async put(item: Parameters<typeof marshalled>[0], condition?: Expression, signal?: AbortSignal): Promise<void> {
    const request = { ...COUNTED, TableName: this.name, Item: marshalled(item), ConditionExpression: condition?.text }
    await this.attempt(() => this.db.putItem(request, signal === undefined ? {} : { abortSignal: signal }), signal)
  }

  async delete(keys: readonly Key[]): Promise<void> {
    const batches = inBatches(keys, DELETE_KEYS_MAX).map(async (batch) => {
      const requests = batch.map((key) => ({ DeleteRequest: { Key: marshalled(key) } }))
      let RequestItems: BatchWriteItemCommandInput['RequestItems'] = { [this.name]: requests }
      while (RequestItems?.[this.name] !== undefined)
        RequestItems = (await this.attempt(() => this.db.batchWriteItem({ RequestItems, ...COUNTED }))).UnprocessedItems
    })
    await Promise.all(batches)
  }

  /** All or nothing. Waits for its turn, in the order of the calls. */
  async transact(writes: readonly Write[]): Promise<void> {
    const TransactItems = writes.map((write) => transactItem(this.name, write))
    await this.#transactions.take(() => this.attempt(() => this.db.transactWriteItems({ TransactItems, ...COUNTED })))
  }
}

export function placeOf({ region, table, endpoint }: DynamodbLocation): string {
  return `table ${table} ${endpoint === null ? `in ${region}` : `at ${endpoint}`}`
}
