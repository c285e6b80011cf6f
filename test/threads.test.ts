// The service with threads for requests and deliveries: clients and receivers notice nothing, and the promises hold.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PostgresServer } from '../src/store/postgres/postgres-server.fixture.ts'
import { cleanUp } from './support/cleanup.ts'
import { crashAgainAndAgain } from './support/crash/crash-run.ts'
import { accepted, Client } from './support/client.ts'
import type { Answer, TimerJson } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { startReceiver } from './support/receiver.ts'
import { runToEnd, startService } from './support/service.ts'
import { tempDir } from './support/temp-dir.ts'

const THREADS = { HTTP_THREADS: '2', DELIVERY_THREADS: '2' }
const ROUNDS = Number(process.env['ROUNDS'] ?? 10)

test('what was acknowledged comes true, whatever is killed when', { timeout: 300_000 + ROUNDS * 20_000 }, async (t) => {
  const env = { ...THREADS, TIMER_DB_PATH: 'timers.db' }
  await crashAgainAndAgain(t, { cwd: tempDir(t), env, seed: 7, rounds: ROUNDS, lifeMs: [300, 1_500] })
})

test('a second service on the same port is refused, although threads share it', async (t) => {
  const first = await startService(t, { cwd: tempDir(t), env: THREADS })
  const { port } = new URL(first.url)
  const { code, output } = await runToEnd(['serve'], { cwd: tempDir(t), env: { ...THREADS, PORT: port } })
  assert.notEqual(code, 0)
  assert.match(output, /EADDRINUSE/)
})

test('a stop under load answers truthfully and loses nothing', async (t) => {
  const cwd = tempDir(t)
  const service = await startService(t, { cwd, env: THREADS })
  const client = new Client(() => service)
  const answers = new Map<string, Answer<TimerJson>>()
  const createUntilNobodyAnswers = async (name: string) => {
    for (let n = 0; ; n++) {
      const answer = await client.create({ id: `${name}-${n}`, schedule: 'PT1H', callbackUrl: 'http://127.0.0.1:9/' })
      if (answer.type === 'notSent') return
      answers.set(`${name}-${n}`, answer)
    }
  }
  const workers = Array.from({ length: 8 }, (_, n) => createUntilNobodyAnswers(`w${n}`))
  await eventually('requests are being answered', () => answers.size > 50)
  service.signal('SIGTERM')
  await Promise.all(workers)
  assert.deepEqual(await service.exited, { code: 0, signal: null })

  const restarted = await startService(t, { cwd, env: THREADS })
  for (const [timerId, answer] of answers)
    if (answer.type === 'ok') await accepted(new Client(() => restarted).get({ timerId }))
})

test('timers are delivered by threads, signed and once, and everything else is served as ever', async (t) => {
  const receiver = await startReceiver(t)
  const service = await startService(t, { cwd: tempDir(t), env: THREADS })
  const client = new Client(() => service)
  const ids = Array.from({ length: 40 }, (_, n) => `t${n}`)
  await Promise.all(
    ids.map((id) => accepted(client.create({ id, schedule: 'PT1S', callbackUrl: receiver.url, payload: { id } }))),
  )
  for (const id of ids) assert.deepEqual((await receiver.received(id)).body.payload, { id })
  for (const id of ids) assert.equal(receiver.of(id).length, 1)

  const get = async (path: string) => {
    const answer = await fetch(`${service.url}${path}`)
    return { status: answer.status, text: await answer.text() }
  }
  assert.match((await get('/readyz')).text, /"httpThreads":"ok","deliveryThreads":"ok"/)
  await eventually('all of them are counted', async () =>
    (await get('/metrics')).text.includes('duetime_deliveries_total{namespace="default",outcome="delivered"} 40'),
  )
  assert.equal((await get('/openapi.json')).status, 200)
})

test('the limits of keys, and of connections, hold for all threads together', async (t) => {
  const env = { ...THREADS, API_KEY: 'k'.repeat(32), CONNECTIONS_MAX: '4' }
  const service = await startService(t, { cwd: tempDir(t), env })
  const ask = async () => (await fetch(`${service.url}/api/v1/timers/get`, { method: 'POST' })).status
  assert.equal(await ask(), 401)
  const live = await Promise.allSettled(
    Array.from({ length: 12 }, () =>
      fetch(`${service.url}/api/v1/live`, { headers: { 'x-api-key': env.API_KEY, connection: 'close' } }),
    ),
  )
  const open = live.filter(({ status }) => status === 'fulfilled').length
  assert.ok(open <= 4, `${open} connections are open`)
})

test('nodes of a cluster send each other commands through their threads', async (t) => {
  const server = await PostgresServer.start()
  cleanUp(t, () => server.stop())
  const { port, user, password, database } = await server.createDatabase()
  const env = { ...THREADS, DATABASE_URL: `postgres://${user}:${password}@127.0.0.1:${port}/${database}`, SHARDS: '8' }
  const nodes = [await startService(t, { cwd: tempDir(t), env }), await startService(t, { cwd: tempDir(t), env })]
  const [here, there] = nodes.map((node) => new Client(() => node)) as [Client, Client]
  const owners = async () => {
    const view = (await (await fetch(`${nodes[0]!.url}/api/v1/cluster`)).json()) as { shards: { owner: string }[] }
    return new Set(view.shards.map(({ owner }) => owner)).size
  }
  await eventually('both nodes own shards', async () => (await owners()) === 2)
  const ids = Array.from({ length: 40 }, (_, n) => `id-${n}`)
  const timer = { schedule: 'PT1H', callbackUrl: 'http://127.0.0.1:9/' }
  await Promise.all(ids.map((id) => accepted(here.create({ id, ...timer }))))
  await Promise.all(ids.map((timerId) => accepted(there.get({ timerId }))))
  await Promise.all(ids.map((timerId) => accepted(there.cancel({ timerId }))))
  const made = await Promise.all(ids.map(() => accepted(there.create(timer))))
  assert.equal(new Set(made.map(({ id }) => id)).size, ids.length)
  for (const node of nodes) assert.deepEqual(await node.stop(), { code: 0, signal: null })
})
