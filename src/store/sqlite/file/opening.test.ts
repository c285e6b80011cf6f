import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { Epoch, ShardId } from '../../../core/timer/timer.ts'
import { SCHEMA_VERSION } from './migrations.ts'
import { openSqliteStore } from '../sqlite-store.ts'
import { processDir } from '../../../../test/support/temp-dir.ts'
import { temporaryFile } from './temporary-file.fixture.ts'
import { partOf } from '../../commit-sheet.ts'

/** The message must say what was found and where. */
async function refuses(path: string, ...said: RegExp[]): Promise<void> {
  await assert.rejects(openSqliteStore({ path, cacheMiB: 1 }), (error: Error) => {
    assert.equal(error.name, 'StoreError')
    for (const text of said) assert.match(error.message, text)
    return true
  })
}

test('a path that is no file is refused with a hint', async () => {
  await refuses(':memory:', /not a file path/, /memory store/)
  await refuses('', /not a file path/)
})

test('a directory in place of the file is refused', async () => {
  const directory = processDir()
  await refuses(directory, /is a directory/, new RegExp(directory))
})

test('a directory that cannot be made is refused', async () => {
  const file = temporaryFile()
  writeFileSync(file, 'a file where a directory should be')
  await refuses(join(file, 'sub', 'timers.db'), /cannot open/, /check that its directory exists/)
  await refuses('/proc/nowhere/timers.db', /cannot open \/proc\/nowhere\/timers.db/)
})

test('a file that is no database is refused and left as it is', async () => {
  for (const text of ['hello '.repeat(1_000), 'SQLite format 3\0' + '\xff'.repeat(4_080)]) {
    const path = temporaryFile()
    writeFileSync(path, text, 'latin1')
    await refuses(path, /not a SQLite database, or its header is damaged/, new RegExp(path))
    assert.equal(readFileSync(path, 'latin1'), text)
  }
})

test('a new file and its log are for their owner only; one that is there keeps its rights', async () => {
  const path = temporaryFile()
  const rights = () => [path, `${path}-wal`, `${path}-shm`].map((file) => (statSync(file).mode & 0o777).toString(8))
  const store = await openSqliteStore({ path, cacheMiB: 1 })
  assert.deepEqual(rights(), ['600', '600', '600'])
  await store.close()
  chmodSync(path, 0o640)
  const again = await openSqliteStore({ path, cacheMiB: 1 })
  assert.deepEqual(rights(), ['640', '640', '640'])
  await again.close()
})

test("another program's database is refused and left as it is", async () => {
  const path = temporaryFile()
  const db = new DatabaseSync(path)
  db.exec('CREATE TABLE theirs (x); PRAGMA application_id = 42')
  db.close()
  const before = readFileSync(path)
  await refuses(path, /another program \(application_id 42\)/, new RegExp(path))
  assert.deepEqual(readFileSync(path), before)
})

test('a database of a newer version is refused and left as it is', async () => {
  const path = temporaryFile()
  await (await openSqliteStore({ path, cacheMiB: 1 })).close()
  const db = new DatabaseSync(path)
  db.exec(`PRAGMA user_version = ${SCHEMA_VERSION + 1}`)
  db.close()
  const before = readFileSync(path)
  await refuses(path, new RegExp(`schema version ${SCHEMA_VERSION + 1}`), /run the newer version/)
  assert.deepEqual(readFileSync(path), before)
})

test('a file or directory that may not be written is refused', async (t) => {
  const path = temporaryFile()
  await (await openSqliteStore({ path, cacheMiB: 1 })).close()
  chmodSync(path, 0o444)
  chmodSync(`${path}.lock`, 0o444)
  chmodSync(dirname(path), 0o555)
  // Root may write everywhere, so do as if we were not.
  if (process.geteuid?.() === 0) {
    process.seteuid!(65_534)
    t.after(() => process.seteuid!(0))
  }
  await refuses(path, /cannot open/, /writable for this user|may read and write/)
})

test('no space for a new file is said as such', async () => {
  const opening = openSqliteStore({ path: temporaryFile(), cacheMiB: 1, maxPages: 2 })
  await assert.rejects(opening, {
    name: 'StoreError',
    retryable: true,
    message: /cannot open .* is full: free some space/,
  })
})

test('a missing directory is made', async () => {
  const path = join(processDir(), 'a', 'b', 'timers.db')
  await (await openSqliteStore({ path, cacheMiB: 1 })).close()
  assert(existsSync(path))
})

test('a file that is served already is refused, also within one process, until that one ends', async () => {
  const path = temporaryFile()
  const first = await openSqliteStore({ path, cacheMiB: 1 })
  await refuses(path, /in use by another process/, /fuser/)
  await first.close()
  await (await openSqliteStore({ path, cacheMiB: 1 })).close()
})

test('a link to a file that is served already is refused, too', async () => {
  const path = temporaryFile()
  const first = await openSqliteStore({ path, cacheMiB: 1 })
  symlinkSync(path, `${path}.link`)
  await refuses(`${path}.link`, /in use by another process/)
  await first.close()
})

test('an owner whose lock was taken away notices that somebody else has claimed its shard', async () => {
  const path = temporaryFile()
  const first = await openSqliteStore({ path, cacheMiB: 1 })
  const epoch = await first.claim({ shard: 0 as ShardId, expected: 0 as Epoch, from: null, owner: 'first' })
  const part = partOf({ shard: 0 as ShardId, epoch: epoch!, owner: 'first' }, [])
  assert.deepEqual(await first.commit([part]), [{ type: 'written' }])
  rmSync(`${path}.lock`)
  const second = await openSqliteStore({ path, cacheMiB: 1 })
  await second.claim({ shard: 0 as ShardId, expected: epoch!, from: 'first', owner: 'second' })
  assert.deepEqual(await first.commit([part]), [{ type: 'fenced' }])
  await Promise.all([first.close(), second.close()])
})

test('the file of a process that was killed can be opened at once, with everything it had acknowledged', async () => {
  const path = temporaryFile()
  const module = new URL('../sqlite-store.ts', import.meta.url).href
  const script = `
    const { openSqliteStore } = await import(${JSON.stringify(module)})
    const store = await openSqliteStore({ path: ${JSON.stringify(path)}, cacheMiB: 1 })
    console.log(await store.claim({ shard: 0, expected: 0, owner: 'killed' }))`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  await refuses(path, /in use by another process/)
  child.kill('SIGKILL')
  await once(child, 'exit')
  const store = await openSqliteStore({ path, cacheMiB: 1 })
  assert.deepEqual(await store.shards(), [{ shard: 0, epoch: 1, owner: 'killed' }])
  await store.close()
})
