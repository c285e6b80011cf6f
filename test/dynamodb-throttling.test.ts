// DynamoDB Local never throttles, so a proxy does it: what clients are told while the table has no capacity left, and after.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onServer } from '../scripts/servers/server.fixture.ts'
import { emptyTable, LossyWay } from '../src/store/dynamodb/dynamodb-server.fixture.ts'
import { openDynamodbStore } from '../src/store/dynamodb/dynamodb-store.ts'
import { Client } from './support/client.ts'
import { startService } from './support/service.ts'
import { tempDir } from './support/temp-dir.ts'

const THROTTLED = Array.from({ length: 7 }, () => 'throttle' as const)

onServer('dynamodb', (server) => {
  test(
    'clients of a throttled table get 503 with Retry-After, and nothing is stored',
    { timeout: 600_000 },
    async (t) => {
      const { way, location } = await LossyWay.to(t, emptyTable(server()))
      await (await openDynamodbStore({ ...location, shards: 1 })).close()
      const endpoint = encodeURIComponent(location.endpoint!)
      const env = {
        ...server().environment(),
        DATABASE_URL: `dynamodb://${location.region}/${location.table}?endpoint=${endpoint}`,
      }
      const service = await startService(t, { cwd: tempDir(t), env })
      const client = new Client(() => service)
      const create = (id: string) => client.create({ id, schedule: 'PT1H', callbackUrl: 'http://127.0.0.1:9/' })
      assert.equal((await create('before')).type, 'ok')
      way.lose('TransactWriteItems', ...THROTTLED)
      const refused = await create('throttled')
      assert(refused.type === 'refused', refused.type)
      assert.equal(refused.status, 503)
      assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/)
      assert.match(refused.body.message, /nothing was stored/)
      assert.equal((await create('throttled')).type, 'ok')
    },
  )
})
