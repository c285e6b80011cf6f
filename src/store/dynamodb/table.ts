// The table, over the SDK, which is loaded when a URL asks for it. Every read is consistent. A call that fails is tried again
// here and not by the SDK, since only who sees each attempt knows whether one of them may have been done.

import type { BatchGetItemCommandOutput, BatchWriteItemCommandInput, DynamoDB } from '@aws-sdk/client-dynamodb'
import type { QueryCommandOutput } from '@aws-sdk/client-dynamodb'
import type { Clock } from '../../runtime/clock/clock.ts'
import type { DynamodbLocation } from '../../runtime/config/databases/dynamodb.ts'
import { Semaphore } from '../../runtime/semaphore.ts'
import { Attempts } from '../attempts.ts'
import { loadDriver } from '../driver.ts'
import { failureKind, refusalOf, storeError } from './failures.ts'
import { marshalled, plain, prefixed, transactItem } from './items.ts'
import type { Item } from '../keyed/timer-fields.ts'
import type { Expression, Key, Write } from './items.ts'
import { DUE_INDEX } from './keys.ts'
import type { Range } from '../keyed/sort-keys.ts'

const TIMEOUTS = { connectionTimeout: 2_000, requestTimeout: 5_000, throwOnRequestTimeout: true }
const SOCKETS_MAX = 64
const TRANSACTIONS_MAX = 16 // at once: thousands a second at the usual ten milliseconds, and a slow server is not buried
const SECOND = 1_000
const GET_KEYS_MAX = 100
const DELETE_KEYS_MAX = 25
const DRIVER = { database: 'DynamoDB', name: '@aws-sdk/client-dynamodb' }

export type RangeOptions = {
  readonly limit?: number
  /** In the order of the index, whose keys the range has then. */
  readonly byDue?: boolean
  /** Some of them only. */
  readonly attributes?: string
}

export class Table {
  readonly name: string
  readonly db: DynamoDB
  readonly #attempts: Attempts
  readonly #clock: Clock
  readonly #transactions = new Semaphore(TRANSACTIONS_MAX)
  /** How far this machine's clock is ahead of the server's, which shows whole seconds; zero as long as they may agree. */
  skewMs = 0

  private constructor(db: DynamoDB, location: DynamodbLocation, clock: Clock) {
    this.db = db
    this.name = location.table
    this.#clock = clock
    this.#attempts = new Attempts(clock, {
      kindOf: failureKind,
      errorOf: (error, mayBeDone) => refusalOf(error, mayBeDone) ?? storeError(error, placeOf(location), mayBeDone),
    })
    db.middlewareStack.add(
      (next) => async (request) => {
        const sentAt = clock.now()
        const result = await next(request)
        const { headers } = result.response as { readonly headers?: Readonly<Record<string, string>> }
        this.#compareClocks(sentAt, Date.parse(headers?.['date'] ?? ''))
        return result
      },
      { step: 'deserialize', priority: 'low' },
    )
  }

  static async connect(location: DynamodbLocation, clock: Clock): Promise<Table> {
    const { DynamoDB: Client } = await loadDriver(DRIVER, () => import('@aws-sdk/client-dynamodb'))
    const { region, endpoint } = location
    const agent = { maxSockets: SOCKETS_MAX }
    const requestHandler = { ...TIMEOUTS, httpAgent: agent, httpsAgent: agent }
    const client = new Client({ region, ...(endpoint !== null && { endpoint }), maxAttempts: 1, requestHandler })
    return new Table(client, location, clock)
  }

  /** Until it is done or has failed for good: a Refusal, when a condition was not met, or a StoreError. */
  attempt<T>(call: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#attempts.make(call, signal)
  }

  async get(key: Key): Promise<Item | null> {
    const request = { TableName: this.name, Key: marshalled(key), ConsistentRead: true }
    const { Item: found } = await this.attempt(() => this.db.getItem(request))
    return found === undefined ? null : plain(found)
  }

  /** In no particular order. Each key once. */
  async getMany(keys: readonly Key[], attributes?: string): Promise<Item[]> {
    const projection = attributes === undefined ? {} : { ProjectionExpression: attributes }
    const batches = inBatches(keys, GET_KEYS_MAX).map(async (batch) => {
      const found: Item[] = []
      for (let left = batch.map(marshalled); left.length > 0;) {
        const RequestItems = { [this.name]: { Keys: left, ConsistentRead: true, ...projection } }
        const answer: BatchGetItemCommandOutput = await this.attempt(() => this.db.batchGetItem({ RequestItems }))
        found.push(...(answer.Responses?.[this.name] ?? []).map(plain))
        left = answer.UnprocessedKeys?.[this.name]?.Keys ?? []
      }
      return found
    })
    return (await Promise.all(batches)).flat()
  }

  /** The items of a partition in a range of sort keys, in order, page by page. */
  async *pages(partition: string, { from, to }: Range, options: RangeOptions = {}): AsyncGenerator<readonly Item[]> {
    const { limit = Infinity, byDue = false, attributes } = options
    if (from > to) return
    const query = {
      TableName: this.name,
      ConsistentRead: true,
      KeyConditionExpression: `pk = :pk AND ${byDue ? 'due' : 'sk'} BETWEEN :from AND :to`,
      ExpressionAttributeValues: prefixed({ pk: partition, from, to }),
      ...(byDue && { IndexName: DUE_INDEX }),
      ...(attributes === undefined
        ? byDue && { Select: 'ALL_ATTRIBUTES' as const }
        : { ProjectionExpression: attributes }),
    }
    let start: QueryCommandOutput['LastEvaluatedKey']
    let left = limit
    do {
      const page = { ...query, ...(start && { ExclusiveStartKey: start }), ...(left !== Infinity && { Limit: left }) }
      const answer: QueryCommandOutput = await this.attempt(() => this.db.query(page))
      const items = answer.Items ?? []
      if (items.length > 0) yield items.map(plain)
      left -= items.length
      start = answer.LastEvaluatedKey
    } while (start !== undefined && left > 0)
  }

  async range(partition: string, range: Range, options?: RangeOptions): Promise<Item[]> {
    const items: Item[] = []
    for await (const page of this.pages(partition, range, options)) items.push(...page)
    return items
  }

  async put(item: Parameters<typeof marshalled>[0], condition?: Expression, signal?: AbortSignal): Promise<void> {
    const request = { TableName: this.name, Item: marshalled(item), ConditionExpression: condition?.text }
    await this.attempt(() => this.db.putItem(request, signal === undefined ? {} : { abortSignal: signal }), signal)
  }

  async delete(keys: readonly Key[]): Promise<void> {
    const batches = inBatches(keys, DELETE_KEYS_MAX).map(async (batch) => {
      const requests = batch.map((key) => ({ DeleteRequest: { Key: marshalled(key) } }))
      let RequestItems: BatchWriteItemCommandInput['RequestItems'] = { [this.name]: requests }
      while (RequestItems?.[this.name] !== undefined)
        RequestItems = (await this.attempt(() => this.db.batchWriteItem({ RequestItems }))).UnprocessedItems
    })
    await Promise.all(batches)
  }

  /** All or nothing. Waits for its turn, in the order of the calls. */
  async transact(writes: readonly Write[]): Promise<void> {
    const TransactItems = writes.map((write) => transactItem(this.name, write))
    await this.#transactions.take(() => this.attempt(() => this.db.transactWriteItems({ TransactItems })))
  }

  /** The server answered between the two moments, in the second that it shows. */
  #compareClocks(sentAt: number, date: number): void {
    const [least, most] = [sentAt - (date + SECOND), this.#clock.now() - date]
    if (!Number.isNaN(date)) this.skewMs = least > 0 ? least : most < 0 ? most : 0
  }
}

export function placeOf({ region, table, endpoint }: DynamodbLocation): string {
  return `table ${table} ${endpoint === null ? `in ${region}` : `at ${endpoint}`}`
}

function inBatches<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) => all.slice(index * size, (index + 1) * size))
}
