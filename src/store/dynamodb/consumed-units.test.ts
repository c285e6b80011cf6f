import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onServer } from '../../../scripts/servers/server.fixture.ts'
import type { ShardId } from '../../core/timer/timer.ts'
import { partOf } from '../commit-sheet.ts'
import { absent, claimed, getOne, OWNER } from '../conformance/owned-store.ts'
import { sampleTimer } from '../conformance/sample-timer.ts'
import { emptyTable } from './dynamodb-server.fixture.ts'
import { openDynamodbStore } from './dynamodb-store.ts'

const SHARD = 0 as ShardId

onServer('dynamodb', (server) => {
  test('what the database charges is counted, reads and writes each by themselves', async (t) => {
    const store = await openDynamodbStore(emptyTable(server()))
    t.after(() => store.close())
    const fence = { shard: SHARD, epoch: await claimed(store, SHARD), owner: OWNER }
    const units = () => ({ ...store.capabilities.consumedUnits!() })
    const before = units()
    await store.commit([partOf(fence, [absent(sampleTimer())])])
    const written = units()
    assert.ok(written.write > before.write, 'a commit is writing')
    await getOne(store, sampleTimer(), SHARD)
    const read = units()
    assert.ok(read.read > written.read, 'a get is reading')
    assert.equal(read.write, written.write)
  })
})
