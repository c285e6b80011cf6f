// Moving timers with the commands that people run: out of a database that a service is using, into another one, and on
// from there as if nothing had happened.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { accepted, Client } from './support/client.ts'
import type { TimerJson } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { FAILING, OK, startReceiver } from './support/receiver.ts'
import { runToEnd, startService } from './support/service.ts'
import { tempDir } from './support/temp-dir.ts'

test('wrong files and databases end the commands with advice, not with a stack', async (t) => {
  const cwd = tempDir(t)
  const env = { TIMER_DB_PATH: join(cwd, 'nothing-here.db') }
  const cases: [string[], number, RegExp][] = [
    [['export', 'out.ndjson'], 1, /there is no database at/],
    [['export', 'out.ndjson', '--database-url', 'memory:'], 2, /name a database that lasts|Set one of them/],
    [['import', 'missing.ndjson'], 1, /ENOENT[^]*There is no such file/],
    [['import', import.meta.filename], 1, /line 1: it is not JSON/],
  ]
  for (const [args, code, says] of cases) {
    const ended = await runToEnd(args, { cwd, env })
    assert.equal(ended.code, code, ended.output)
    assert.match(ended.output, says)
    assert.doesNotMatch(ended.output, /^ {4}at /m)
  }
})

test('timers exported from a running service go on in the new database, with the delivery ids they had', async (t) => {
  const cwd = tempDir(t)
  let isMoved = false
  const receiver = await startReceiver(t, ({ timerId }) => (timerId === 'busy' && !isMoved ? FAILING : OK))
  const old = await startService(t, { cwd, env: { TIMER_DB_PATH: 'old.db' } })
  const client = new Client(() => old)
  await accepted(client.create({ id: 'fired 🦊', schedule: 'PT1S', callbackUrl: receiver.url }))
  await accepted(client.create({ id: 'later', schedule: 'PT1H', callbackUrl: receiver.url, payload: { order: 1 } }))
  const retryPolicy = { maxRetries: 100, initialInterval: '1s', multiplier: 1 }
  await accepted(client.create({ id: 'busy', schedule: 'PT1S', callbackUrl: receiver.url, retryPolicy }))
  await Promise.all([receiver.received('fired 🦊'), receiver.received('busy')])
  const updated = await accepted(client.update({ timerId: 'later' }, { schedule: 'PT2H' }))
  await eventually(
    'the outcome of the firing',
    async () => (await accepted(client.get({ timerId: 'fired 🦊' }))).status === 'completed',
  )

  const exported = await runToEnd(['export', 'timers.ndjson', '--timer-db-path', 'old.db'], { cwd })
  assert.equal(exported.code, 0, exported.output)
  assert.match(exported.output, /Exported 3 timers to timers\.ndjson/)
  const taken = await runToEnd(['export', 'timers.ndjson', '--timer-db-path', 'old.db'], { cwd })
  assert.match(taken.output, /EEXIST[^]*not overwritten/)
  const inUse = await runToEnd(['import', 'timers.ndjson', '--timer-db-path', 'old.db'], { cwd })
  assert.equal(inUse.code, 1)
  assert.match(inUse.output, /is in use by another process/)
  await old.stop()

  const imported = await runToEnd(['import', 'timers.ndjson', '--timer-db-path', 'new.db'], { cwd })
  assert.equal(imported.code, 0, imported.output)
  assert.match(imported.output, /3 timers added, 0 were there already/)
  isMoved = true
  const before = receiver.of('busy').length
  const next = await startService(t, { cwd, env: { TIMER_DB_PATH: 'new.db' } })
  const moved = new Client(() => next)
  await receiver.received('busy', before + 1)
  assert.equal(new Set(receiver.of('busy').map(({ deliveryId }) => deliveryId)).size, 1)
  assert.equal((await accepted(moved.get({ timerId: 'fired 🦊' }))).status, 'completed')
  const later = await accepted(moved.get({ timerId: 'later' }))
  const facts = ({ version, executeAt, createdAt, payload }: TimerJson) => ({ version, executeAt, createdAt, payload })
  assert.deepEqual(facts(later), { ...facts(updated), payload: { order: 1 } })
  assert.equal(receiver.of('fired 🦊').length, 1)
})

test('where another version is there it stays, the command fails and says so; with --update the later one wins', async (t) => {
  const cwd = tempDir(t)
  const env = { TIMER_DB_PATH: 'timers.db' }
  const service = await startService(t, { cwd, env })
  const client = new Client(() => service)
  await accepted(client.create({ id: 'a', schedule: 'PT1H', callbackUrl: 'http://127.0.0.1:9/' }))
  assert.equal((await runToEnd(['export', 'first.ndjson'], { cwd, env })).code, 0)
  await accepted(client.cancel({ timerId: 'a' }))
  assert.equal((await runToEnd(['export', 'second.ndjson'], { cwd, env })).code, 0)
  await service.stop()

  const target = { TIMER_DB_PATH: 'target.db' }
  assert.equal((await runToEnd(['import', 'first.ndjson'], { cwd, env: target })).code, 0)
  const kept = await runToEnd(['import', 'second.ndjson'], { cwd, env: target })
  assert.equal(kept.code, 1)
  assert.match(
    kept.output,
    /1 timers were left as they are[^]*--update[^]*default\/a: version 2 in the file, 1 in the database/,
  )
  const updated = await runToEnd(['import', 'second.ndjson', '--update'], { cwd, env: target })
  assert.equal(updated.code, 0, updated.output)
  assert.match(updated.output, /0 timers added, 1 updated/)
})
