import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Status } from '../../../core/timer/timer.ts'
import type { JsonText, ShardId, Timer, TimerId } from '../../../core/timer/timer.ts'
import { absent, claimed, countsOf, getOne, OWNER } from '../../conformance/owned-store.ts'
import { SAMPLE_NOW, sampleTimer } from '../../conformance/sample-timer.ts'
import { StoreError } from '../../store.ts'
import { failureOf } from '../failures.ts'
import { openSqliteStore } from '../sqlite-store.ts'
import { temporaryFile } from './temporary-file.fixture.ts'
import { deletingPart, partOf } from '../../commit-sheet.ts'

const SHARD = 0 as ShardId
const PAYLOAD = JSON.stringify('x'.repeat(8_000)) as JsonText

function expired(batch: number): Timer[] {
  return Array.from({ length: 10 }, (_, i) => {
    return sampleTimer({
      id: `t${batch}-${i}` as TimerId,
      status: Status.completed,
      wakeAt: SAMPLE_NOW,
      payload: PAYLOAD,
    })
  })
}

test('when the disk is full a commit is refused as a whole, and writing goes on by itself when there is space again', async (t) => {
  const store = await openSqliteStore({ path: temporaryFile(), cacheMiB: 1, maxPages: 100 })
  t.after(() => store.close())
  const epoch = await claimed(store, SHARD)
  const commit = (batch: number): Promise<unknown> =>
    store.commit([partOf({ shard: SHARD, epoch, owner: OWNER }, expired(batch).map(absent))])
  let stored = 0
  const error = await (async (): Promise<unknown> => {
    for (; stored < 100; stored++) await commit(stored)
    return null
  })().catch((reason: unknown) => reason)
  assert(error instanceof StoreError)
  assert.match(error.message, /is full: free some space/)
  assert.deepEqual([error.retryable, error.outcomeUnknown], [true, false])

  assert(stored > 0)
  assert.equal(await getOne(store, expired(stored)[0]!, SHARD), null)
  assert.deepEqual(await countsOf(store), [`default completed ${stored * 10}`])
  const rows = await store.expired({ shards: [SHARD], before: SAMPLE_NOW + 1, limit: 10 })
  assert.deepEqual(await store.commit([deletingPart({ shard: SHARD, epoch, owner: OWNER }, rows)]), [
    { type: 'written' },
  ])
  await commit(stored)
  assert.notEqual(await getOne(store, expired(stored)[0]!, SHARD), null)
  assert.deepEqual(await countsOf(store), [`default completed ${stored * 10}`])
})

test('every failure of SQLite is told by its code, with what to do about it', () => {
  const cases: [errcode: number, text: RegExp, retryable: boolean][] = [
    [5, /another program holds its lock/, true],
    [8, /make the file and its directory writable/, true],
    [8 | (4 << 8), /make the file and its directory writable/, true],
    [10 | (4 << 8), /look at its health/, true],
    [11, /restore a backup/, false],
    [13, /free some space/, true],
    [14, /check that its directory exists/, true],
    [26, /not a SQLite database/, false],
    [1, /boom/, false],
  ]
  for (const [errcode, text, retryable] of cases) {
    const failure = failureOf(Object.assign(new Error('boom'), { errcode }), { path: '/x.db', doing: 'write' })
    assert.match(failure.message, text)
    assert.match(failure.message, /cannot write \/x\.db: .*boom/)
    assert.deepEqual([failure.retryable, failure.outcomeUnknown], [retryable, false])
  }
})

test('only when the disk fails under the COMMIT itself is it unknown whether it happened', () => {
  const ioError = Object.assign(new Error('disk I/O error'), { errcode: 10 | (4 << 8) })
  const full = Object.assign(new Error('database or disk is full'), { errcode: 13 })
  assert.equal(failureOf(ioError, { path: '/x.db', doing: 'commit' }).outcomeUnknown, true)
  assert.equal(failureOf(ioError, { path: '/x.db', doing: 'write' }).outcomeUnknown, false)
  assert.equal(failureOf(full, { path: '/x.db', doing: 'commit' }).outcomeUnknown, false)
})
