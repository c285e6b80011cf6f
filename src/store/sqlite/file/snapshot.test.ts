import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DatabaseSync } from 'node:sqlite'
import type { Epoch, ShardId, TimerId } from '../../../core/timer/timer.ts'
import { sampleTimer } from '../../conformance/sample-timer.ts'
import { openSqliteSnapshot } from './snapshot.ts'
import { openSqliteStore } from '../sqlite-store.ts'
import { temporaryFile } from './temporary-file.fixture.ts'
import { partOf } from '../../commit-sheet.ts'

test('a file that is not there, or of another version, is refused and not made', async () => {
  const path = temporaryFile()
  assert.throws(() => openSqliteSnapshot(path), /there is no database at/)
  await (await openSqliteStore({ path })).close()
  const db = new DatabaseSync(path)
  db.exec('PRAGMA user_version = 9')
  db.close()
  assert.throws(() => openSqliteSnapshot(path), /has schema version 9 and this program knows up to 1/)
})

test('what is written after the snapshot was opened is not in it, and the writer is not held up', async () => {
  const path = temporaryFile()
  const store = await openSqliteStore({ path })
  const shard = 0 as ShardId
  const epoch = (await store.claim({ shard, expected: 0 as Epoch, from: null, owner: 'service' }))!
  const add = (id: string) =>
    store.commit([
      partOf({ shard, epoch, owner: 'service' }, [{ before: null, after: sampleTimer({ id: id as TimerId }) }]),
    ])
  await add('before')
  const snapshot = openSqliteSnapshot(path)
  await add('after')
  const { timers } = await snapshot.list({ filter: {}, after: null, limit: 10 })
  assert.deepEqual(
    timers.map(({ id }) => id),
    ['before'],
  )
  assert.equal((await snapshot.stats()).counts[0]!.count, 1)
  await snapshot.close()
  await store.close()
})
