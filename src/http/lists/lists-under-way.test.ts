import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ListsUnderWay } from './lists-under-way.ts'

const MIB = 1_024 * 1_024

test('a key cannot take what is left for the others', () => {
  const lists = new ListsUnderWay({ listBytesMax: 3 * MIB, listBytesPerKeyMax: 2 * MIB, payloadMaxBytes: 1 })
  assert.deepEqual([lists.begin('a'), lists.begin('a')], [null, null])
  assert.match(lists.begin('a')!, /the key 'a' has 2 lists under way.*LIST_BYTES_PER_KEY_MAX/)
  assert.equal(lists.begin('b'), null)
  assert.match(lists.begin('c')!, /3 lists are under way.*LIST_BYTES_MAX/)
  lists.end('a')
  assert.equal(lists.begin('c'), null)
})

test('where one payload may be larger than a page, so is what is set aside; one list can always be read', () => {
  const lists = new ListsUnderWay({ listBytesMax: 8 * MIB, listBytesPerKeyMax: MIB, payloadMaxBytes: 4 * MIB })
  assert.equal(lists.begin('a'), null)
  assert.notEqual(lists.begin('a'), null)
  assert.equal(lists.begin('b'), null)
  assert.notEqual(lists.begin('c'), null)
})
