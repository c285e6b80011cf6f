// The live stream of a real process: it shows what really fires, lasts longer than a request may, and never keeps the
// process from stopping, whether its readers read or not.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { LiveReader } from '../src/http/observing/live.fixture.ts'
import { cleanUp } from './support/cleanup.ts'
import { accepted, Client } from './support/client.ts'
import { startReceiver } from './support/receiver.ts'
import { startService } from './support/service.ts'
import { tempDir } from './support/temp-dir.ts'

test('a process that is told to stop does so although someone listens, and someone else does not read', async (t) => {
  const service = await startService(t, { cwd: tempDir(t), env: { SHUTDOWN_GRACE: '60s' } })
  const live = await LiveReader.open(t, `${service.url}/api/v1/live`)
  const stuck = connect(Number(new URL(service.url).port), '127.0.0.1')
  cleanUp(t, () => stuck.destroy())
  stuck.write('GET /api/v1/live HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
  await once(stuck, 'readable')
  await live.next('overview')
  const { code } = await service.stop()
  assert.equal(code, 0)
  assert.deepEqual((await live.next('end'))?.data, { reason: 'shutdown' })
  assert.equal(await live.next(), null)
})

test('a stream lasts longer than a request may take, and shows what fires', async (t) => {
  const receiver = await startReceiver(t)
  const service = await startService(t, { cwd: tempDir(t), env: { REQUEST_TIMEOUT: '1s' } })
  const live = await LiveReader.open(t, `${service.url}/api/v1/live?forSeconds=20`)
  const client = new Client(() => service)
  await accepted(client.create({ id: 'seen', schedule: 'PT3S', callbackUrl: receiver.url }))
  assert.equal((await live.next('change'))?.data['id'], 'seen')
  const { id, outcome, statusCode, status, latenessMs } = (await live.next('firing'))!.data
  assert.deepEqual(
    { id, outcome, statusCode, status },
    { id: 'seen', outcome: 'delivered', statusCode: 200, status: 'completed' },
  )
  assert.ok((latenessMs as number) >= 0, 'never early')
})
