import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { compareKeys, firstKeyAt, lastKeyAt } from './order.ts'
import type { OrderKey } from './order.ts'
import { NEVER } from './timer.ts'
import type { TimerUuid } from './timer.ts'

const hex = fc.nat(15).map((digit) => digit.toString(16))
const uuids = fc.oneof(
  fc.string({ unit: hex, minLength: 32, maxLength: 32 }),
  // Alike but for one digit, so that the order within a byte and across the halves counts.
  fc.tuple(fc.nat(31), hex).map(([index, digit]) => `${'8'.repeat(index)}${digit}${'8'.repeat(31 - index)}`),
)
const times = fc.oneof(
  fc.integer({ min: -1, max: 1 }),
  fc.integer({ min: -NEVER, max: NEVER }),
  fc.constantFrom(2 ** 31, 2 ** 32, NEVER),
)
const keys: fc.Arbitrary<OrderKey> = fc.record({ wakeAt: times, uuid: uuids.map((text) => text as TimerUuid) })

/** As a store would write it: eight bytes with the sign bit turned, then the sixteen of the uuid. */
function bytesOf({ wakeAt, uuid }: OrderKey): Buffer {
  const bytes = Buffer.alloc(24)
  bytes.writeBigUInt64BE(BigInt(wakeAt) + 2n ** 63n)
  bytes.write(uuid, 8, 'hex')
  return bytes
}

test('the order in memory is the byte order of the stored key', () => {
  fc.assert(
    fc.property(keys, keys, (a, b) =>
      assert.equal(Math.sign(compareKeys(a, b)), Buffer.compare(bytesOf(a), bytesOf(b))),
    ),
  )
})

test('the order is total', () => {
  fc.assert(
    fc.property(keys, keys, keys, (a, b, c) => {
      assert.equal(Math.sign(compareKeys(a, b)) + Math.sign(compareKeys(b, a)), 0)
      assert.equal(compareKeys(a, b) === 0, a.wakeAt === b.wakeAt && a.uuid === b.uuid)
      if (compareKeys(a, b) <= 0 && compareKeys(b, c) <= 0) assert.ok(compareKeys(a, c) <= 0)
    }),
  )
})

test('the borders of an instant enclose its rows and no others', () => {
  fc.assert(
    fc.property(keys, (key) => {
      assert.ok(compareKeys(firstKeyAt(key.wakeAt), key) <= 0 && compareKeys(key, lastKeyAt(key.wakeAt)) <= 0)
      assert.ok(compareKeys(lastKeyAt(key.wakeAt - 1), key) < 0 && compareKeys(key, firstKeyAt(key.wakeAt + 1)) < 0)
    }),
  )
})

test('infinite borders lie before and behind every row', () => {
  fc.assert(
    fc.property(keys, (key) => {
      assert.ok(compareKeys(lastKeyAt(-Infinity), key) < 0 && compareKeys(key, lastKeyAt(Infinity)) < 0)
      assert.equal(compareKeys(lastKeyAt(Infinity), lastKeyAt(Infinity)), 0)
    }),
  )
})
