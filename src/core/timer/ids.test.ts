import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { deliveryId, parseNamespace, parseTimerId, shardOf, spreadOf, timerUuid } from './ids.ts'
import type { Namespace, TimerId, TimerUuid } from './timer.ts'

const uuidOf = (namespace: string, id: string): TimerUuid => timerUuid(namespace as Namespace, id as TimerId)

test('namespaces that would break a label, a subject or a key file are refused', () => {
  for (const text of ['', ' ', 'a b', '.a', '-a', '_a', 'a/b', 'a*', 'a>', 'ä', 'a\0', 'a\n', 'a'.repeat(101)]) {
    assert.throws(
      () => parseNamespace(text),
      { code: 'INVALID_INPUT', details: { field: 'namespace' } },
      JSON.stringify(text),
    )
  }
  for (const text of ['default', 'a', '0', 'A.b-c_9', 'a'.repeat(100)]) assert.equal(parseNamespace(text), text)
})

test('ids are any Unicode text but for what cannot be stored', () => {
  for (const text of ['', '\0', 'a\0b', '\ud800', 'a\udc00b', 'x'.repeat(256)]) {
    assert.throws(() => parseTimerId(text), { code: 'INVALID_INPUT', details: { field: 'id' } }, JSON.stringify(text))
  }
  for (const text of ['a/b', ' ', '日本', '😀', '../..', 'x'.repeat(255)]) assert.equal(parseTimerId(text), text)
})

test('a refusal names the field as the contract calls it', () => {
  assert.throws(() => parseTimerId('', 'timer_id'), { message: /^timer_id /, details: { field: 'timer_id' } })
  assert.throws(() => parseNamespace('', 'groupId'), { message: /^groupId /, details: { field: 'groupId' } })
})

test('stored uuids stay what they are', () => {
  assert.equal(uuidOf('default', 'a'), 'e80000000000c004033e982d59653d2e')
  assert.equal(uuidOf('shop', 'order/1 😀'), 'a000000000011fc2abdad9aac4dd0d62')
})

test('a uuid ends with the first 80 bits of the SHA-256 of the joined names', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (namespace, id) => {
      const hash = createHash('sha256').update(`${namespace}\0${id}`, 'utf8').digest('hex')
      const uuid = uuidOf(namespace, id)
      assert.equal(uuid.slice(12), hash.slice(0, 20))
      assert.match(uuid, /^[0-9a-f]{32}$/)
    }),
  )
})

test('no two pairs of a valid namespace and id are joined to the same text', () => {
  assert.notEqual(uuidOf('a', 'bc'), uuidOf('ab', 'c'))
  assert.notEqual(uuidOf('a', 'b\0c'), uuidOf('a\0b', 'd'))
  const namespace = fc.stringMatching(/^[a-c.]{1,3}$/)
  const id = fc.string({ unit: fc.constantFrom('a', 'b', '.', '/', 'ä', '\u{1F600}'), minLength: 1, maxLength: 3 })
  fc.assert(
    fc.property(namespace, id, namespace, id, (n1, i1, n2, i2) => {
      assert.equal(uuidOf(n1, i1) === uuidOf(n2, i2), n1 === n2 && i1 === i2)
    }),
  )
})

test('shards are within bounds and evenly filled', () => {
  const counts = Array.from({ length: 64 }, () => 0)
  for (let n = 0; n < 6_400; n++) counts[shardOf(uuidOf('default', `timer-${n}`), 64)]!++
  assert.ok(Math.min(...counts) > 50 && Math.max(...counts) < 150, String(counts))
  assert.equal(shardOf('000000000000ffffffff000000000000' as TimerUuid, 1), 0)
  assert.equal(shardOf('000000000000ffffffff000000000000' as TimerUuid, 4_096), 4_095)
})

test('a delivery id differs by timer, firing and life of the id, and not by attempt', () => {
  const timer = { uuid: uuidOf('a', 'b'), createdAt: 1_000, firing: 1, extra: null }
  const extra = (number: number) =>
    ({
      ...timer,
      extra: { dueAt: 0, number, regular: { status: 'pending', wakeAt: 0, attempts: 0, firstAttemptAt: null } },
    }) as const
  const others = [
    { ...timer, uuid: uuidOf('a', 'c') },
    { ...timer, createdAt: 1_001 },
    { ...timer, firing: 2 },
    extra(1),
    extra(2),
  ]
  assert.equal(new Set([timer, ...others].map(deliveryId)).size, 6)
  assert.equal(deliveryId({ ...timer, ...{ attempts: 5 } }), deliveryId(timer))
})

test('the spread of retries is in [0, 1), the same for the same attempt, and spread out', () => {
  const tenths = Array.from({ length: 10 }, () => 0)
  for (let n = 0; n < 2_000; n++) {
    const attempt = {
      uuid: uuidOf('default', `timer-${n % 50}`),
      firing: 1 + 100_000_000 * (n % 8),
      attempts: 1 + (n % 5),
    }
    const spread = spreadOf(attempt)
    assert.ok(spread >= 0 && spread < 1)
    assert.equal(spreadOf({ ...attempt }), spread)
    tenths[Math.floor(spread * 10)]!++
  }
  assert.ok(Math.min(...tenths) > 100, String(tenths))
})
