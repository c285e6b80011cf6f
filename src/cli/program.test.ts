import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadConfig } from '../runtime/config/config.ts'
import { VERSION } from '../runtime/version.ts'
import { runMain } from './program.ts'
import type { Actions } from './program.ts'

async function run(args: readonly string[], actions: Partial<Actions> = {}) {
  const calls: unknown[] = []
  let out = ''
  let err = ''
  const record = async (given: unknown) => void calls.push(given)
  const output = { out: (text: string) => void (out += text), err: (text: string) => void (err += text) }
  const code = await runMain(
    args,
    {
      serve: record,
      backup: record,
      export: record,
      import: record,
      migrateStatus: record,
      migrateUp: record,
      migrateDown: record,
      shards: record,
      pin: record,
      reshard: record,
      ...actions,
    },
    output,
  )
  return { code, calls, out, err }
}

test('a wrong command is code 2 with the nearest one, and nothing runs', async () => {
  const { code, err, calls } = await run(['srve'])
  assert.equal(code, 2)
  assert.match(err, /unknown command 'srve'[^]*serve/)
  assert.deepEqual(calls, [])
})

test('unknown flags and wrong values of serve are reported together', async () => {
  const serve: Actions['serve'] = async (flags) => void loadConfig({ env: {}, flags })
  const { code, err } = await run(['serve', '--prot', '80', '--port=x', '--hots=a'], { serve })
  assert.equal(code, 2)
  assert.match(err, /3 settings are wrong[^]*--port=x[^]*--prot[^]*--port\?[^]*--hots[^]*--host\?/)
})

test('a word that is no flag is refused', async () => {
  const { code, err, calls } = await run(['serve', 'now'])
  assert.equal(code, 2)
  assert.match(err, /`now` is not a flag/)
  assert.deepEqual(calls, [])
})

test('a flag without its value is refused', async () => {
  assert.equal((await run(['serve', '--port'])).code, 2)
})

test('backup needs to know where to', async () => {
  const { code, err } = await run(['backup'])
  assert.equal(code, 2)
  assert.match(err, /missing required argument 'to'/)
})

test('a command that fails is code 1 with advice instead of a stack where there is any', async () => {
  const error = Object.assign(new Error('listen EADDRINUSE: 127.0.0.1:8080'), { code: 'EADDRINUSE' })
  const { code, err } = await run(['serve'], { serve: () => Promise.reject(error) })
  assert.equal(code, 1)
  assert.match(err, /EADDRINUSE[^]*--port 8081/)
  assert.doesNotMatch(err, /at /)
})

test('flags reach serve by their own names, and a switch needs no value', async () => {
  const { code, calls } = await run(['serve', '--port', '9000', '--log-level=debug', '--allow-anonymous'])
  assert.equal(code, 0)
  assert.deepEqual(calls, [{ port: '9000', 'log-level': 'debug', 'allow-anonymous': 'true' }])
})

test('backup is told where from and where to', async () => {
  const { calls } = await run(['backup', 'copy.db', '--timer-db-path', 'a.db'])
  assert.deepEqual(calls, [{ to: 'copy.db', flags: { 'timer-db-path': 'a.db' } }])
})

test('export and import are told the file and where the database is, import also whether to update', async () => {
  assert.equal((await run(['import'])).code, 2)
  assert.equal((await run(['export', 'to', '--port', '80'])).code, 2)
  const exported = await run(['export', 'timers.ndjson', '--timer-db-path', 'a.db'])
  assert.deepEqual(exported.calls, [{ to: 'timers.ndjson', flags: { 'timer-db-path': 'a.db' } }])
  const imported = await run(['import', 'timers.ndjson', '--update', '--pg-host', 'db', '--lease=10s'])
  assert.deepEqual(imported.calls, [{ from: 'timers.ndjson', update: true, flags: { 'pg-host': 'db', lease: '10s' } }])
  assert.deepEqual((await run(['import', 'timers.ndjson'])).calls, [
    { from: 'timers.ndjson', update: false, flags: {} },
  ])
})

test('help has examples, the help of serve every setting, and version the version', async () => {
  const help = await run(['--help'])
  assert.equal(help.code, 0)
  assert.match(help.out, /Examples:\n {2}duetime serve /)
  assert.match((await run(['serve', '--help'])).out, /Deliveries:[^]*--webhook-secrets <list>[^]*WEBHOOK_SECRETS/)
  assert.equal((await run(['--version'])).out, `${VERSION}\n`)
})

test('shards are resized and pinned by name; what makes no sense is refused before a database is opened', async () => {
  const reshard = await run(['reshard', '--to', '256', '--database-url', 'postgres://db/duetime'])
  assert.deepEqual(reshard.calls, [{ to: 256, namespace: null, flags: { 'database-url': 'postgres://db/duetime' } }])
  assert.deepEqual((await run(['reshard'])).calls, [{ to: null, namespace: null, flags: {} }])
  assert.deepEqual((await run(['shards', 'pin', 'eu', '--label', 'dc=1', '--when-none-lives', 'wait'])).calls, [
    { namespace: 'eu', label: 'dc=1', whenNoneLives: 'wait', flags: {} },
  ])
  assert.deepEqual((await run(['shards', 'unpin', '*'])).calls, [
    { namespace: null, label: null, whenNoneLives: 'others', flags: {} },
  ])
  const wrong = [
    ['reshard', '--to', '5000'],
    ['reshard', '--to', '0'],
    ['reshard', '--namespace', 'eu'],
    ['shards', 'pin', 'eu'],
    ['shards', 'pin', 'e u', '--label', 'x'],
    ['shards', 'pin', 'eu', '--label', 'a b'],
    ['shards', 'pin', 'eu', '--label', 'x', '--when-none-lives', 'never'],
  ]
  for (const args of wrong) {
    const { code, calls } = await run(args)
    assert.deepEqual({ args, code, calls }, { args, code: 2, calls: [] })
  }
})
