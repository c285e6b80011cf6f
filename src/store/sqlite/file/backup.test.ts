import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import type { Epoch, ShardId, TimerId } from '../../../core/timer/timer.ts'
import { absent, claimed, countsOf, listAll, OWNER } from '../../conformance/owned-store.ts'
import { sampleTimer } from '../../conformance/sample-timer.ts'
import type { Put, Store } from '../../store.ts'
import { backupSqliteFile } from './backup.ts'
import { openSqliteStore } from '../sqlite-store.ts'
import { temporaryFile } from './temporary-file.fixture.ts'
import { partOf } from '../../commit-sheet.ts'

const SHARD = 0 as ShardId

async function setup(t: TestContext): Promise<{ store: Store; epoch: Epoch; path: string; to: string }> {
  const path = temporaryFile()
  const store = await openSqliteStore({ path, cacheMiB: 4 })
  t.after(() => store.close())
  return { store, epoch: await claimed(store, SHARD), path, to: join(dirname(path), 'copy.db') }
}

function puts(batch: number): Put[] {
  return Array.from({ length: 500 }, (_, i) => absent(sampleTimer({ id: `t${batch}-${i}` as TimerId })))
}

test('a backup refuses to overwrite a file', async (t) => {
  const { store, to } = await setup(t)
  writeFileSync(to, 'precious')
  await assert.rejects(store.backup({ path: to }), { name: 'StoreError', message: /exists already/ })
  assert.equal(readFileSync(to, 'utf8'), 'precious')
})

test('a backup that was interrupted is named, and never taken for one', async (t) => {
  const { store, to } = await setup(t)
  writeFileSync(`${to}.partial`, 'half')
  await assert.rejects(store.backup({ path: to }), { name: 'StoreError', message: /\.partial exists: another backup/ })
  assert(!existsSync(to))
})

test('a backup is for its owner only', async (t) => {
  const { store, to } = await setup(t)
  await store.backup({ path: to })
  assert.equal((statSync(to).mode & 0o777).toString(8), '600')
})

test('a backup of nothing, or into nowhere, says so', async (t) => {
  const { path, to } = await setup(t)
  await assert.rejects(backupSqliteFile({ path: `${path}.other`, to }), {
    name: 'StoreError',
    message: /there is no database at/,
  })
  assert(!existsSync(to) && !existsSync(`${to}.partial`) && !existsSync(`${path}.other`))
  await assert.rejects(backupSqliteFile({ path, to: '/proc/nowhere/x.db' }), {
    name: 'StoreError',
    message: /cannot write/,
  })
})

test('a backup made while commits go on holds whole commits only, and opens as a store', async (t) => {
  const { store, epoch, path, to } = await setup(t)
  for (let batch = 0; batch < 20; batch++)
    await store.commit([partOf({ shard: SHARD, epoch, owner: OWNER }, puts(batch))])
  const copy = { isDone: false }
  const progress: [number, number][] = []
  const copying = backupSqliteFile({ path, to, onProgress: (done, total) => progress.push([done, total]) }).finally(
    () => (copy.isDone = true),
  )
  let batch = 20
  for (; !copy.isDone; batch++) await store.commit([partOf({ shard: SHARD, epoch, owner: OWNER }, puts(batch))])
  await copying

  const check = new DatabaseSync(to)
  assert.equal(check.prepare('PRAGMA integrity_check').get()!['integrity_check'], 'ok')
  check.close()
  const restored = await openSqliteStore({ path: to, cacheMiB: 4 })
  t.after(() => restored.close())
  const copied = (await listAll(restored, {}, 1_000)).length
  assert(copied >= 20 * 500 && copied <= batch * 500)
  assert.equal(copied % 500, 0)
  assert.deepEqual(await countsOf(restored), [`default pending ${copied}`])
  const [done, total] = progress.at(-1)!
  assert.equal(done, total)
  assert(progress.length > 1)
})

test('closing the store waits for its backup', async (t) => {
  const { store, epoch, to } = await setup(t)
  await store.commit([partOf({ shard: SHARD, epoch, owner: OWNER }, puts(0))])
  const copying = store.backup({ path: to })
  await store.close()
  await copying
  assert(existsSync(to))
})
