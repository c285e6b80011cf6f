// The table that people make with Terraform, as docs/operations/dynamodb.md has it, is the one that the first start makes.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { onServer } from '../../../scripts/servers/server.fixture.ts'
import { systemClock } from '../../runtime/clock/clock.ts'
import { emptyTable } from './dynamodb-server.fixture.ts'
import { openDynamodbStore } from './dynamodb-store.ts'
import { describeTable } from './setup.ts'
import { Table } from './table.ts'

const PAGE = join(import.meta.dirname, '..', '..', '..', 'docs', 'operations', 'dynamodb.md')
/** What somebody who makes the table should add, and the service does not ask for. */
const ADDED = { name: 'duetime', deletion_protection_enabled: true, point_in_time_recovery: [{ enabled: true }] }

type Block = { [name: string]: string | boolean | Block[] }

/** The resource on the page: of HCL, strings, booleans, and blocks, which can come several times. */
function resourceOn(page: string): Block {
  const hcl = /```hcl\n([^]*?)```/.exec(page)![1]!
  const resource: Block = {}
  const open = [resource]
  for (const [token, block, name, value] of hcl.matchAll(/(\w+)[^\n={}]*\{|(\w+) *= *("[^"]*"|true|false)|\}/g)) {
    const parent = open.at(-1)!
    if (token === '}') open.pop()
    else if (name !== undefined) parent[name] = JSON.parse(value!) as string | boolean
    else {
      const child: Block = {}
      ;((parent[block!] ??= []) as Block[]).push(child)
      open.push(child)
    }
  }
  assert.equal(open.length, 1, 'a brace is missing')
  return (resource['resource'] as Block[])[0]!
}

/** As Terraform writes it. */
async function resourceOf(table: Table): Promise<Block> {
  const { AttributeDefinitions, KeySchema, LocalSecondaryIndexes, BillingModeSummary } = (await describeTable(table))!
  const { TimeToLiveDescription: ttl } = await table.db.describeTimeToLive({ TableName: table.name })
  const nameOf = (keys: typeof KeySchema, type: string) => keys!.find(({ KeyType }) => KeyType === type)!.AttributeName!
  const indexes = LocalSecondaryIndexes!.map(({ IndexName, KeySchema: keys, Projection }) => {
    assert.equal(nameOf(keys, 'HASH'), nameOf(KeySchema, 'HASH'))
    return { name: IndexName!, range_key: nameOf(keys, 'RANGE'), projection_type: Projection!.ProjectionType! }
  })
  const attributes = AttributeDefinitions!.map((one) => ({ name: one.AttributeName!, type: one.AttributeType! }))
  return {
    billing_mode: BillingModeSummary!.BillingMode!,
    hash_key: nameOf(KeySchema, 'HASH'),
    range_key: nameOf(KeySchema, 'RANGE'),
    attribute: attributes.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    local_secondary_index: indexes,
    ttl: [{ attribute_name: ttl!.AttributeName!, enabled: ttl!.TimeToLiveStatus === 'ENABLED' }],
  }
}

onServer('dynamodb', (server) => {
  test('the table on the page for Terraform is the one that the first start makes', async (t) => {
    const location = emptyTable(server())
    await (await openDynamodbStore(location)).close()
    const table = await Table.connect(location, systemClock)
    t.after(() => table.db.destroy())
    const shown = resourceOn(readFileSync(PAGE, 'utf8'))
    shown['attribute'] = (shown['attribute'] as Block[]).toSorted((a, b) => (a['name']! < b['name']! ? -1 : 1))
    assert.deepEqual(shown, { ...(await resourceOf(table)), ...ADDED })
  })
})
