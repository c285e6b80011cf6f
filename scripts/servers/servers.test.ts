import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { cached, fillCache, isCached } from './cache.ts'
import { onServer } from './server.fixture.ts'
import { missingServer, serverNamed, SERVERS } from './servers.ts'

test('a name that no server has is answered with those that there are', () => {
  assert.throws(() => serverNamed('oracle'), /no server named oracle.*mariadb.*ferretdb/)
})

test('CI has the same servers in every run, and fails where one cannot be had', () => {
  const main = join(import.meta.dirname, 'main.ts')
  const run = (args: string[], env: NodeJS.ProcessEnv = process.env) =>
    spawnSync(process.execPath, [main, ...args], { env, encoding: 'utf8' })
  assert.equal(run(['list', '--every-run']).stdout, 'mariadb cassandra cassandra-3 dynamodb ferretdb\n')
  const bare = run(['install', '--every-run'], { DUETIME_SERVERS: join(tmpdir(), 'duetime-none'), PATH: '' })
  assert.equal(bare.status, 1)
  assert.match(bare.stderr, /needs .* on this machine/)
})

test('a server that is not installed says what to run', () => {
  for (const { name, isInstalled } of SERVERS)
    if (!isInstalled()) assert.match(String(missingServer(name as never)), new RegExp(`install ${name}$`))
})

test('a download that was cut off leaves nothing in the cache that looks like a server', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'duetime-cache-'))
  const before = process.env['DUETIME_SERVERS']
  process.env['DUETIME_SERVERS'] = root
  t.after(() => {
    rmSync(root, { recursive: true })
    if (before === undefined) delete process.env['DUETIME_SERVERS']
    else process.env['DUETIME_SERVERS'] = before
  })
  const cutOff = fillCache('thing-1', async (directory) => {
    writeFileSync(join(directory, 'half'), '')
    throw new Error('the connection was lost')
  })
  await assert.rejects(cutOff, /the connection was lost/)
  assert.equal(isCached('thing-1'), false)
  await fillCache('thing-1', async (directory) => writeFileSync(join(directory, 'whole'), ''))
  assert.deepEqual([existsSync(cached('thing-1', 'whole')), existsSync(cached('thing-1', 'half'))], [true, false])
})

onServer('mariadb', (server) => {
  test('a server that starts leaves the temporary files of another one alone', async (t) => {
    const file = join(tmpdir(), `#sql-temptable-${process.pid}-1-6.MAI`)
    writeFileSync(file, '')
    t.after(() => rmSync(file, { force: true }))
    await server().kill()
    await server().restart()
    assert.ok(existsSync(file))
  })

  test('a server that was killed comes back on the same port', async () => {
    const { port } = server()
    await server().kill()
    await server().restart()
    assert.equal(server().port, port)
    assert.match(server().url('timers'), new RegExp(`^mariadb://root@127\\.0\\.0\\.1:${port}/timers$`))
  })
})
