import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { NEIGHBORHOOD_BYTES, writeNeighborhood } from './nearby-ids.ts'

function neighborhoodOf(namespace: string, id: string): string {
  const key = new Uint8Array(NEIGHBORHOOD_BYTES)
  writeNeighborhood(key, namespace, id)
  return key.toHex()
}

/** Of the places of two ids of one namespace, the second minus the first; null if they are of different kinds. */
function distance(first: string, second: string): number | null {
  const [a, b] = [neighborhoodOf('shop', first), neighborhoodOf('shop', second)]
  return a.slice(0, 2) === b.slice(0, 2) ? Number.parseInt(b.slice(2), 16) - Number.parseInt(a.slice(2), 16) : null
}

test('ids that count lie side by side, whatever stands before, between and after the number', () => {
  for (const [first, second] of [
    ['1', '2'],
    ['order-41', 'order-42'],
    ['order-99', 'order-100'],
    ['user-7/reminder-00041', 'user-7/reminder-00042'],
    ['2026-11-19-0041', '2026-11-19-0042'],
    ['41-payment-timeout', '42-payment-timeout'],
    ['日本-41', '日本-42'],
  ] as const) {
    assert.equal(distance(first, second), 1, `${first}, ${second}`)
  }
})

test('numbers of any length have a place, and neighbors are neighbors but where places begin anew', () => {
  const numbers = fc.bigInt({ min: 0n, max: 10n ** 30n })
  fc.assert(
    fc.property(numbers, (number) => {
      const expected = number % 2n ** 40n === 2n ** 40n - 1n ? 1 - 2 ** 40 : 1
      assert.equal(distance(`${number}`, `${number + 1n}`), expected)
      assert.equal(neighborhoodOf('shop', `${number}`).slice(2), (number % 2n ** 40n).toString(16).padStart(10, '0'))
    }),
  )
})

test('a UUIDv7 and a ULID lie where their time is', () => {
  assert.equal(distance('019a9a3e-5b2c-7abc-8def-0123456789ab', '019A9A3E-5B2D-7FFF-BDEF-9876543210AB'), 1)
  assert.equal(distance('job-019a9a3e-5b2c-7abc-8def-0123456789ab', 'job-019a9a3e-5b2c-7fff-9def-9876543210ab'), 0)
  assert.equal(distance('01KACM7PT6AZ0G5V4D2W3E4R5T', '01KACM7PT7000000000000000Z'), 1)
  assert.equal(distance('01kacm7pt6az0g5v4d2w3e4r5t', '01KACM7PT6ZZZZZZZZZZZZZZZZ'), 0)
})

test('an id that only looks like one of these has the place of its digits', () => {
  for (const id of [
    '019a9a3e-5b2c-4abc-8def-0123456789ab', // version 4
    '019a9a3e-5b2c-7abc-0def-0123456789ab', // a variant that is none
    '81KACM7PT6AZ0G5V4D2W3E4R5T', // later than a ULID can say
    '01KACM7PT6AZ0G5V4D2W3E4RUU', // a letter that ULIDs do not have
    '01234567890123456789012345', // a number
  ]) {
    const digits = BigInt(id.replaceAll(/\D/g, '')) % 2n ** 40n
    assert.equal(neighborhoodOf('shop', id).slice(2), digits.toString(16).padStart(10, '0'), id)
  }
})

test('kinds of ids, and namespaces, are spread over the whole range', () => {
  const kinds = new Set<string>()
  for (let n = 0; n < 1_000; n++) {
    const letters = n.toString(36).replaceAll(/\d/g, 'x')
    kinds.add(neighborhoodOf('shop', `${letters}-1`).slice(0, 2))
    kinds.add(neighborhoodOf(`shop-${letters}`, 'order-1').slice(0, 2))
  }
  assert.ok(kinds.size > 200, `${kinds.size} of 256`)
  assert.notEqual(neighborhoodOf('shop', 'order-1').slice(0, 2), neighborhoodOf('shop', 'cart-1').slice(0, 2))
})

test('random ids lie anywhere', () => {
  const quarters = [0, 0, 0, 0]
  for (let n = 0; n < 400; n++) quarters[Number.parseInt(neighborhoodOf('shop', crypto.randomUUID())[0]!, 16) >> 2]!++
  assert.ok(Math.min(...quarters) > 50, String(quarters))
})
