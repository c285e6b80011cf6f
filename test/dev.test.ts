// `duetime dev` as a process of its own, moved over HTTP as the tests of somebody's program would.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { cleanUp } from './support/cleanup.ts'
import { startDev, untilShown } from './support/dev-server.ts'
import type { Dev, Json } from './support/dev-server.ts'
import { runToEnd, startService } from './support/service.ts'
import { tempDir } from './support/temp-dir.ts'

/** The lines of the sink that say what came and how it was answered. */
function arrivals({ output }: Dev): string[] {
  return [...output().matchAll(/^(\S+ \S+)  (\S+)  POST (\S+)  → (\d+)$/gm)].map(
    ([, , id, path, status]) => `${id} ${path} ${status}`,
  )
}

test('without dev, no clock can be moved', async (t) => {
  const { url } = await startService(t, { cwd: tempDir(t), env: { DATABASE_URL: 'memory:' } })
  assert.equal((await fetch(`${url}/dev/clock`)).status, 404)
})

test('a length of time that is none is refused and moves nothing', async (t) => {
  const { url, post } = await startDev(t)
  const past = '2020-01-01T00:00:00Z'
  const wrong: readonly Json[] = [{ by: '3 d' }, { by: 3 }, { to: 'monday' }, { to: past }]
  assert.equal((await post('/dev/clock/advance', {}))['error'], 'INVALID_INPUT')
  for (const body of wrong) {
    const { error, details } = await post('/dev/clock/advance', body)
    assert.deepEqual([error, (details as Json)['field']], ['INVALID_INPUT', Object.keys(body)[0]])
  }
  const clock = (await (await fetch(`${url}/dev/clock`)).json()) as { aheadMs: number }
  assert.ok(clock.aheadMs < 1_000)
})

test('everything due on the way fires in order, each at its own due time, and the sink shows it', async (t) => {
  const dev = await startDev(t)
  const { post, sink } = dev
  const create = async (id: string, schedule: string, path: string) =>
    post('/api/v1/timers/create', { id, schedule, callbackUrl: sink + path, payload: { id } })
  await create('once', 'PT60H', '/once')
  await create('daily', 'R/P1D', '/daily')
  await create('failing', 'PT30H', '/fail?status=503&delay=20ms')
  await create('moved', 'PT1H', '/moved?reschedule=70h')
  const moved = await post('/dev/clock/advance', { by: '3d' })
  assert.deepEqual([moved['complete'], moved['deliveries']], [true, 10])
  assert.deepEqual(arrivals(dev), [
    'moved /moved?reschedule=70h 200',
    'daily /daily 200',
    ...Array.from({ length: 4 }, () => 'failing /fail?status=503&delay=20ms 503'),
    'daily /daily 200',
    'once /once 200',
    'moved /moved?reschedule=70h 200',
    'daily /daily 200',
  ])
  assert.equal(dev.output().match(/signature verified/g)?.length, 10)
  assert.doesNotMatch(dev.output(), /signature WRONG|not signed/)

  const fired = await post('/api/v1/timers/get', { timerId: 'once' })
  assert.deepEqual([fired['status'], fired['executedAt']], ['completed', fired['executeAt']])
  assert.equal((await post('/api/v1/timers/get', { timerId: 'failing' }))['status'], 'failed')
})

test('time goes on by itself too, from where the clock was moved to', async (t) => {
  const dev = await startDev(t, ['--database', 'dev.db'])
  await dev.post('/dev/clock/advance', { by: '1d' })
  await dev.post('/api/v1/timers/create', { id: 'soon', schedule: 'PT1S', callbackUrl: `${dev.sink}/hook` })
  await untilShown(dev.child, () => arrivals(dev).length > 0)
  assert.deepEqual(arrivals(dev), ['soon /hook 200'])
})

test('it stops when it is told to, and says so when a port is taken', async (t) => {
  const { child } = await startDev(t)
  child.kill('SIGTERM')
  assert.deepEqual(await once(child, 'exit'), [0, null])

  const other = createServer().listen(0, '127.0.0.1')
  cleanUp(t, () => void other.close())
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const { code, output } = await runToEnd(['dev', '--port', '0', '--sink-port', String(port)], { cwd: tempDir(t) })
  assert.equal(code, 2)
  assert.match(output, /--sink-port 9091/)
})
