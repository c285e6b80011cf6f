import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onServer } from '../scripts/servers/server.fixture.ts'
import { systemClock } from '../src/runtime/clock/clock.ts'
import { loadConfig } from '../src/runtime/config/config.ts'
import { parseDynamodbUrl } from '../src/runtime/config/databases/dynamodb.ts'
import type { DynamodbLocation } from '../src/runtime/config/databases/dynamodb.ts'
import { emptyTable, LossyWay } from '../src/store/dynamodb/dynamodb-server.fixture.ts'
import { openDynamodbStore } from '../src/store/dynamodb/dynamodb-store.ts'
import { Table } from '../src/store/dynamodb/table.ts'
import { checkDynamodb } from '../src/cli/doctor/databases/check-dynamodb.ts'
import { Findings } from '../src/cli/doctor/finding.ts'

async function findingsAt(location: DynamodbLocation, env: Record<string, string> = {}): Promise<string> {
  const findings = new Findings('database')
  await checkDynamodb(location, { config: loadConfig({ env }), clock: systemClock }, findings)
  return findings.all.map(({ standing, message }) => `${standing}: ${message}`).join('\n')
}

test('doctor says where DynamoDB cannot be reached', async () => {
  const nowhere = parseDynamodbUrl('dynamodb://r/timers?endpoint=http%3A%2F%2F127.0.0.1%3A9')
  assert.match(await findingsAt(nowhere), /^fail: DynamoDB \(table timers at http:\/\/127\.0\.0\.1:9\): .*ECONNREFUSED/)
})

onServer('dynamodb', (server) => {
  test('doctor tells a table that is not there yet, and one that the service has made', async () => {
    const location = emptyTable(server())
    assert.match(
      await findingsAt(location),
      /ok: there is no table .* yet; the first start makes it, if the credentials allow CreateTable/,
    )
    await (await openDynamodbStore({ ...location, shards: 4 })).close()
    const found = await findingsAt(location, { PAYLOAD_MAX_BYTES: '3MiB' })
    assert.match(found, /ok: table .* is active, paid on demand/)
    assert.match(found, /ok: these credentials may read and write, also on conditions and in transactions/)
    assert.match(found, /ok: 4 shards with about \d+ B each/)
    assert.match(found, /warn: PAYLOAD_MAX_BYTES is 3/)
  })

  test('doctor names what the credentials may not do, and changes nothing', async (t) => {
    const { way, location } = await LossyWay.to(t, emptyTable(server()))
    await (await openDynamodbStore({ ...location, shards: 4 })).close()
    const table = await Table.connect(location, systemClock)
    t.after(() => table.db.destroy())
    const items = async () => (await table.db.scan({ TableName: table.name })).Items
    const before = await items()
    way.lose('TransactWriteItems', 'deny', 'deny')
    way.lose('BatchWriteItem', 'deny')
    way.lose('Query', 'deny')
    const found = await findingsAt(location)
    assert.match(
      found,
      /fail: these credentials may not Query on the table, PutItem in a transaction, UpdateItem, BatchWriteItem$/m,
    )
    assert.deepEqual(await items(), before)
    assert.match(await findingsAt(location), /ok: these credentials may/)
    assert.deepEqual(await items(), before)
  })

  test('a table with other keys is refused, by doctor and at the start', async () => {
    const location = emptyTable(server())
    const table = await Table.connect(location, systemClock)
    await table.db.createTable({
      TableName: location.table,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    })
    table.db.destroy()
    assert.match(await findingsAt(location), /fail: table .* has other keys than pk \(hash\) and sk \(range\)/)
    await assert.rejects(openDynamodbStore(location), {
      name: 'StoreError',
      retryable: false,
      message: /has other keys/,
    })
  })
})
