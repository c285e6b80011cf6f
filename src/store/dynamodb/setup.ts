// The table and what is fixed when it is first used. It is made at the first start where the credentials allow that; else the
// message says what to make. Everything that can be wrong with it is found here, before the service says that it is ready.

import type { CreateTableCommandInput, KeySchemaElement, TableDescription } from '@aws-sdk/client-dynamodb'
import { newSettings, settingsOf } from '../keyed/store-settings.ts'
import type { KeyedOptions, StoredSettings, StoreSettings } from '../keyed/store-settings.ts'
import { StoreError } from '../store.ts'
import { clusterKey, DUE_INDEX, EXPIRY } from './keys.ts'
import { refusalsIn } from './failures.ts'
import { IF_NONE } from './items.ts'
import type { Table } from './table.ts'

const SETTINGS_KEY = clusterKey('store/settings')
const TABLE_KEYS = schemaOf('pk', 'sk')
const INDEX_KEYS = schemaOf('pk', 'due')

/** As in docs/operations/dynamodb.md, for those who make the table themselves. */
function tableShape(name: string): CreateTableCommandInput {
  const index = { IndexName: DUE_INDEX, KeySchema: INDEX_KEYS, Projection: { ProjectionType: 'KEYS_ONLY' as const } }
  return {
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: ['pk', 'sk', 'due'].map((attribute) => ({ AttributeName: attribute, AttributeType: 'S' })),
    KeySchema: TABLE_KEYS,
    LocalSecondaryIndexes: [index],
  }
}

function schemaOf(hash: string, range: string): KeySchemaElement[] {
  return [
    { AttributeName: hash, KeyType: 'HASH' },
    { AttributeName: range, KeyType: 'RANGE' },
  ]
}

export async function prepareTable(table: Table, options: KeyedOptions): Promise<StoreSettings> {
  let found = await describeTable(table)
  if (found === null) await createTable(table)
  if (found === null || found.TableStatus === 'CREATING') {
    await table.untilReady()
    found = await describeTable(table)
  }
  const problem = shapeProblem(found ?? {})
  if (problem !== null) throw StoreError.lasting(`table ${table.name} ${problem}`)
  await table.put({ ...SETTINGS_KEY, ...newSettings(options) }, IF_NONE).catch(refusalsIn)
  return (await readSettings(table))!
}

/** Null when there is none. */
export function describeTable(table: Table): Promise<TableDescription | null> {
  return table.attempt(async () => {
    const answer = await table.db.describeTable({ TableName: table.name }).catch(unless('ResourceNotFoundException'))
    return answer?.Table ?? null
  })
}

/** What keeps it from being used; null when nothing does. */
export function shapeProblem({ KeySchema: keys, LocalSecondaryIndexes: indexes }: TableDescription): string | null {
  const isSame = (some: KeySchemaElement[] = [], expected: KeySchemaElement[]) =>
    expected.every(({ AttributeName, KeyType }) =>
      some.some((one) => one.AttributeName === AttributeName && one.KeyType === KeyType),
    )
  if (!isSame(keys, TABLE_KEYS)) return 'has other keys than pk (hash) and sk (range), both strings'
  if (!isSame(indexes?.find(({ IndexName }) => IndexName === DUE_INDEX)?.KeySchema, INDEX_KEYS))
    return 'lacks the local secondary index `due` on pk and due, which can only be made with the table'
  return null
}

async function createTable(table: Table): Promise<void> {
  const denied = `there is no table ${table.name}, and these credentials may not make one: docs/operations/dynamodb.md has its definition`
  await table.attempt(() =>
    table.db.createTable(tableShape(table.name)).catch((error: Error) => {
      if (error.name === 'AccessDeniedException') throw StoreError.lasting(denied)
      // Another node was faster.
      return unless('ResourceInUseException')(error)
    }),
  )
  // Without it rows of old nodes stay, and finished timers if no service runs any more.
  const TimeToLiveSpecification = { AttributeName: EXPIRY, Enabled: true }
  await table.db.updateTimeToLive({ TableName: table.name, TimeToLiveSpecification }).catch(() => {})
}

/** Null for a table that no service has used yet. */
export async function readSettings(table: Table): Promise<StoreSettings | null> {
  const stored = await table.get(SETTINGS_KEY)
  return stored === null ? null : settingsOf(stored as StoredSettings, `table ${table.name}`)
}

function unless(name: string): (error: Error) => null {
  return (error) => {
    if (error.name !== name) throw error
    return null
  }
}
