// The table and what is fixed when it is first used. It is made at the first start where the credentials allow that; else the
// message says what to make. Everything that can be wrong with it is found here, before the service says that it is ready.

import { randomBytes } from 'node:crypto'
import type { CreateTableCommandInput, TableDescription } from '@aws-sdk/client-dynamodb'
import type { Clock } from '../../runtime/clock/clock.ts'
import { sleep } from '../../runtime/clock/clock.ts'
import { StoreError } from '../store.ts'
import { CLUSTER, DUE_INDEX, EXPIRY, keyOf, SETTINGS } from './keys.ts'
import { Refusal } from './failures.ts'
import { IF_NONE } from './items.ts'
import type { Table } from './table.ts'

const FORMAT = 1
const SETTINGS_KEY = keyOf(CLUSTER, SETTINGS)
const LOOK_EVERY_MS = 500
const LOOKS_MAX = 240
const SECRET_BYTES = 32

export type StoreSettings = { readonly shards: number; readonly secret: string }

/** Also the shape of a table that somebody else makes; see docs/operations/dynamodb.md. */
export function tableShape(name: string): CreateTableCommandInput {
  return {
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: ['pk', 'sk', 'due'].map((attribute) => ({ AttributeName: attribute, AttributeType: 'S' })),
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
    LocalSecondaryIndexes: [
      {
        IndexName: DUE_INDEX,
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'due', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'KEYS_ONLY' },
      },
    ],
  }
}

export async function prepareTable(table: Table, shards: number, clock: Clock): Promise<StoreSettings> {
  let description = await describeTable(table)
  if (description === null) await createTable(table)
  for (let looks = 0; description?.TableStatus !== 'ACTIVE' && description?.TableStatus !== 'UPDATING'; looks++) {
    if (looks === LOOKS_MAX)
      throw new StoreError(`table ${table.name} is still ${description?.TableStatus ?? 'not there'}`)
    if (looks > 0) await sleep(clock, LOOK_EVERY_MS)
    description = await describeTable(table)
  }
  const problem = shapeProblem(description)
  if (problem !== null) throw StoreError.lasting(`table ${table.name} ${problem}`)
  return settingsOf(table, shards)
}

/** Null when there is none. */
export async function describeTable(table: Table): Promise<TableDescription | null> {
  try {
    return (await table.db.describeTable({ TableName: table.name })).Table ?? null
  } catch (error) {
    if ((error as Error).name === 'ResourceNotFoundException') return null
    return table.attempt(() => Promise.reject(error))
  }
}

/** What keeps it from being used; null when nothing does. */
export function shapeProblem(description: TableDescription): string | null {
  const shape = tableShape('')
  const keys = (schema: TableDescription['KeySchema']) =>
    schema
      ?.map(({ AttributeName, KeyType }) => `${AttributeName} ${KeyType}`)
      .toSorted()
      .join(', ')
  if (keys(description.KeySchema) !== keys(shape.KeySchema))
    return 'has other keys than pk (hash) and sk (range), both strings'
  const index = description.LocalSecondaryIndexes?.find(({ IndexName }) => IndexName === DUE_INDEX)
  if (keys(index?.KeySchema) !== keys(shape.LocalSecondaryIndexes![0]!.KeySchema))
    return 'lacks the local secondary index `due` on pk and due, which can only be made with the table'
  return null
}

async function createTable(table: Table): Promise<void> {
  try {
    await table.db.createTable(tableShape(table.name))
  } catch (error) {
    // Another node was faster.
    if ((error as Error).name === 'ResourceInUseException') return
    if ((error as Error).name === 'AccessDeniedException')
      throw new StoreError(
        `there is no table ${table.name}, and these credentials may not make one: docs/operations/dynamodb.md has its definition`,
        { retryable: false, cause: error },
      )
    await table.attempt(() => Promise.reject(error))
  }
  await turnOnExpiry(table)
}

/** Without it rows of old nodes stay, and finished timers if no service runs any more. */
async function turnOnExpiry(table: Table): Promise<void> {
  const TimeToLiveSpecification = { AttributeName: EXPIRY, Enabled: true }
  await table.db.updateTimeToLive({ TableName: table.name, TimeToLiveSpecification }).catch(() => {})
}

async function settingsOf(table: Table, shards: number): Promise<StoreSettings> {
  const secret = randomBytes(SECRET_BYTES).toString('base64')
  await table.put({ ...SETTINGS_KEY, format: FORMAT, shards, secret }, IF_NONE).catch((error: unknown) => {
    if (!(error instanceof Refusal)) throw error
  })
  return (await readSettings(table))!
}

/** Null for a table that no service has used yet. */
export async function readSettings(table: Table): Promise<StoreSettings | null> {
  const stored = await table.get(SETTINGS_KEY)
  if (stored === null) return null
  const { format, shards, secret } = stored
  if (format !== FORMAT)
    throw StoreError.lasting(`table ${table.name} has format ${String(format)}, and this program knows ${FORMAT}`)
  return { shards: shards as number, secret: secret as string }
}
