import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Epoch, ShardId } from '../../core/timer/timer.ts'
import type { ShardRow } from '../../store/store.ts'
import { ClusterMap } from './cluster-map.ts'

const SHARD = 3 as ShardId
const row = (epoch: number, owner: string | null): ShardRow => ({ shard: SHARD, epoch: epoch as Epoch, owner })

function setup(...rows: readonly ShardRow[]) {
  const map = new ClusterMap()
  map.take(rows, map.mark)
  return { map, known: () => [map.epochOf(SHARD), map.ownerOf(SHARD)] }
}

test('an answer that was on its way while a shard moved does not hide the move', () => {
  const { map, known } = setup(row(4, 'a'))
  const { mark } = map
  map.note([row(5, 'b')])
  assert.deepEqual(map.take([row(4, 'a')], mark), [])
  assert.deepEqual(known(), [5, 'b'])
  assert.deepEqual(map.take([row(6, 'c')], mark), [])
  assert.deepEqual(known(), [6, 'c'])
})

test('an answer to a beat that was sent later is the truth, and what the database has forgotten is named', () => {
  for (const older of [row(4, 'a'), row(4, null), row(5, 'c')]) {
    const { map, known } = setup(row(5, 'b'))
    assert.deepEqual(map.take([older], map.mark), [SHARD])
    assert.deepEqual(known(), [older.epoch, older.owner])
  }
  const { map, known } = setup(row(1, 'b'))
  assert.deepEqual(map.take([], map.mark), [SHARD])
  assert.deepEqual(known(), [0, null])
})

test('a release is no step back, and neither is what is said twice', () => {
  const { map, known } = setup(row(5, 'b'))
  assert.deepEqual(map.take([row(5, 'b')], map.mark), [])
  assert.deepEqual(map.take([row(5, null)], map.mark), [])
  assert.deepEqual(known(), [5, null])
})

test('a message that is older than what is known changes nothing', () => {
  const { map, known } = setup(row(5, 'b'))
  map.note([row(5, 'c'), row(4, 'a')])
  assert.deepEqual(known(), [5, 'b'])
})
