// Programs that share their timers through PostgreSQL: each has some of them, and any can change all of them.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestContext } from 'node:test'
import { openDuetime, testClock } from '../src/embedded/index.ts'
import type { Firing, TestClock } from '../src/embedded/index.ts'
import { PostgresServer } from '../src/store/postgres/postgres-server.fixture.ts'
import { eventually } from './support/eventually.ts'

let server: PostgresServer
before(async () => {
  server = await PostgresServer.start()
})
after(() => server.stop())

async function setup(t: TestContext) {
  const { host, port, user, password, database } = await server.createDatabase()
  const place = `postgres://${user}:${password}@${host}:${port}/${database}`
  const clock = testClock()
  const handled: string[] = []
  const open = (name: string) =>
    openProgram(t, { place, clock, onFiring: ({ id }) => void handled.push(`${id} ${name}`) })
  return { clock, handled, open }
}

type Program = { readonly place: string; readonly clock: TestClock; readonly onFiring: (firing: Firing) => void }

async function openProgram(t: TestContext, { place, clock, onFiring }: Program) {
  const timers = await openDuetime({ database: place, clock, settings: { SHARDS: '8', LOG_LEVEL: 'silent' } })
  t.after(() => timers.close())
  timers.handle('n', onFiring)
  return timers
}

test('each timer is handled once, by one of the programs, and a change reaches it from either', async (t) => {
  const { clock, handled, open } = await setup(t)
  const one = await open('one')
  const other = await open('other')
  const ids = Array.from({ length: 40 }, (_, n) => `t${n}`)
  for (const [n, id] of ids.entries()) await (n % 2 === 0 ? one : other).create({ namespace: 'n', id, after: '1h' })
  await one.cancel({ namespace: 'n', id: 't0' })
  await other.cancel({ namespace: 'n', id: 't1' })
  await clock.advance('1h')
  assert.deepEqual(handled.map((line) => line.split(' ')[0]!).toSorted(), ids.slice(2).toSorted())
  assert.deepEqual([...new Set(handled.map((line) => line.split(' ')[1]!))].toSorted(), ['one', 'other'])
})

test('a program that closes hands its timers over to the other', async (t) => {
  const { clock, handled, open } = await setup(t)
  const one = await open('one')
  const other = await open('other')
  for (let n = 0; n < 20; n++) await one.create({ namespace: 'n', id: `t${n}`, after: '1h' })
  await one.close()
  await other.create({ namespace: 'n', id: 'last', after: '1h' })
  await clock.advance('1h')
  // What it has not taken over yet is overdue when it does.
  await eventually('all timers to be handled', () => handled.length >= 21)
  assert.equal(handled.length, 21)
  assert.ok(handled.every((line) => line.endsWith(' other')))
})
