// A reshard of a database that no node serves, as administrators run it: killed in the middle, seen by a node that is started
// meanwhile, run again, and every timer fires once afterwards.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { PostgresServer } from '../src/store/postgres/postgres-server.fixture.ts'
import { cleanUp } from './support/cleanup.ts'
import { runCli, start } from './support/cli.ts'
import { Client } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { OK, startReceiver } from './support/receiver.ts'
import { Service } from './support/service.ts'
import type { Environment } from './support/service.ts'
import { tempDir } from './support/temp-dir.ts'

const TIMERS = 4_000
const BATCH = 250
const FAR = '2090-01-01T00:00:00Z'
const FIRING = 200 // of them, after the reshard; the others are for years ahead

type Place = {
  readonly env: Environment
  /** How many timers are in shards of this number and above. */
  readonly movedTo: (first: number) => number | Promise<number>
  /** What is left over of a number that was there. */
  readonly shards: number
}

const DATABASES: Readonly<Record<string, (t: TestContext) => Promise<Place>>> = {
  SQLite: async (t) => {
    const path = join(tempDir(t), 'timers.db')
    const movedTo = (first: number) => {
      using db = new DatabaseSync(path, { readOnly: true })
      return db.prepare('SELECT count(*) AS n FROM timers WHERE row_type > 1 AND shard_id >= ?').get(first)![
        'n'
      ] as number
    }
    return { env: { DATABASE_URL: `sqlite:${path}` }, movedTo, shards: 1 }
  },
  PostgreSQL: async (t) => {
    const server = await PostgresServer.start()
    cleanUp(t, () => server.stop())
    const { port, user, password, database } = await server.createDatabase()
    const count = (first: number) => `SELECT count(*)::int AS n FROM timers WHERE row_type > 1 AND shard_id >= ${first}`
    const movedTo = async (first: number) => (await server.sql(count(first), database))[0]!['n'] as number
    const env = {
      DATABASE_URL: `postgres://${user}:${password}@127.0.0.1:${port}/${database}`,
      SHARDS: '16',
      LEASE: '1s',
    }
    return { env, movedTo, shards: 16 }
  },
}

for (const [name, open] of Object.entries(DATABASES)) {
  test(`on ${name}, a reshard that is killed is gone on with, and no timer is lost or doubled`, async (t) => {
    const { env, movedTo, shards } = await open(t)
    const cwd = tempDir(t)
    const receiver = await startReceiver(t, () => OK)
    await fill(t, { cwd, env }, receiver.url)
    assert.equal(await movedTo(0), TIMERS, 'every timer that was acknowledged is stored')

    // Killed as soon as the first timers have been moved; the machine may be so fast that it is over by then.
    const killed = start(t, ['reshard', '--to', '256'], { env })
    await eventually('some timers are moved', async () => (await movedTo(shards)) > 0)
    killed.kill()
    await killed.ended
    const unfinished = await runCli(['shards'], { env })
    if (/not finished/.test(unfinished.out)) await assertNobodyServes(t, { cwd, env })

    const finished = await runCli(['reshard', '--to', '256'], { env })
    assert.ok(finished.code === 0 || /have 256 already/.test(finished.err), finished.err)
    const said = [unfinished, finished].map(({ code, out, err }) => `${code}: ${out}${err}`).join('\n')
    assert.equal(await movedTo(0), TIMERS, `every timer is still there:\n${said}`)
    assert.equal(await movedTo(shards), TIMERS, `every timer is in a new shard:\n${said}`)
    const after = new Service({ cwd, env })
    cleanUp(t, () => after.kill())
    await after.listening
    const client = new Client(() => after)
    assert.equal((await client.get({ timerId: 'order-3999' })).type, 'ok')
    const firings = Array.from({ length: FIRING }, (_, n) => `order-${n}`)
    for (const timerId of firings) await trigger(after.url, timerId)
    await eventually('they fire', () => receiver.deliveries.length >= FIRING)
    assert.deepEqual(receiver.deliveries.map(({ timerId }) => timerId).toSorted(), firings.toSorted())
    const page = (await (await fetch(`${after.url}/metrics`)).text()).match(/^duetime_layout_shards (\d+)$/m)
    assert.equal(page![1], '256')
  })
}

async function fill(t: TestContext, place: { cwd: string; env: Environment }, url: string): Promise<void> {
  const service = new Service(place)
  cleanUp(t, () => service.kill())
  await service.listening
  for (let at = 0; at < TIMERS; at += BATCH) {
    const timers = Array.from({ length: BATCH }, (_, n) => {
      return { id: `order-${at + n}`, executeAt: FAR, callbackUrl: url }
    })
    const answer = await fetch(`${service.url}/api/v1/timers/batch`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ timers }),
    })
    const { created } = (await answer.json()) as { readonly created: number }
    assert.deepEqual([answer.status, created], [200, BATCH])
  }
  await service.stop()
}

async function trigger(url: string, timerId: string): Promise<void> {
  const answer = await fetch(`${url}/api/v1/timers/trigger`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ timerId }),
  })
  assert.equal(answer.status, 200, await answer.text())
}

/** Whoever starts meanwhile fires nothing: one node alone refuses, one of several says that it is not ready. */
async function assertNobodyServes(t: TestContext, place: { cwd: string; env: Environment }): Promise<void> {
  const service = new Service(place)
  cleanUp(t, () => service.kill())
  const isListening = await service.listening.then(
    () => true,
    () => false,
  )
  if (isListening) {
    const ready = await fetch(`${service.url}/readyz`)
    assert.equal(ready.status, 503)
    const { shards } = (await (await fetch(`${service.url}/api/v1/cluster`)).json()) as { shards: { own: unknown }[] }
    assert.ok(shards.every(({ own }) => own === null))
  }
  await service.stop()
  // On a busy machine a database server may not answer in time: a node that gives up serves nothing either.
  if (!isListening)
    assert.match(service.output, /reshard of this database was begun and is not finished|cannot connect to PostgreSQL/)
}
