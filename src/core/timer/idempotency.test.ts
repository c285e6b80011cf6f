import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KEY, MINUTE, NOW, at, createOf, inStatus, specOf, tryDecide } from '../rules/command.fixture.ts'
import type { CreateCommand, TimerSpec } from '../rules/command.ts'
import { standsAlone } from '../rules/create.ts'
import { decide } from '../rules/decide.ts'
import { keyedIdentity, keyOfItem, parseIdempotencyKey } from './idempotency.ts'
import { fingerprintOf } from '../rules/parameters.ts'
import { Status } from './timer.ts'
import type { JsonText, Namespace, Timer } from './timer.ts'

const SHOP = 'shop' as Namespace
const DUE = new Date(NOW + MINUTE).toISOString()
const PAYLOAD = { payload: '{"a":1,"b":[9007199254740993,1e2]}' as JsonText }

function keyed(schedule = DUE, changes: Partial<TimerSpec> = PAYLOAD): CreateCommand {
  const spec = specOf(schedule, changes)
  return createOf(spec, { minLeadMs: 0, fingerprint: fingerprintOf(spec) })
}
const made = (): Timer => decide(null, keyed(), at(NOW)).timer

test('a key is 1 to 255 visible ASCII characters', () => {
  for (const key of ['', 'a b', 'ä', 'a\n', 'a\0', 'x'.repeat(256)]) {
    assert.throws(() => parseIdempotencyKey(key, 'Idempotency-Key'), {
      code: 'INVALID_INPUT',
      message: /^Idempotency-Key must have 1 to 255 visible/,
    })
  }
  for (const key of ['a', '"{order:1}"', 'x'.repeat(255)]) assert.equal(parseIdempotencyKey(key, 'key'), key)
})

test('a key stands for one id of its namespace, a UUID of version 8', () => {
  const { id } = keyedIdentity(SHOP, 'order-1')
  assert.equal(keyedIdentity(SHOP, 'order-1').id, id)
  const others = [
    keyedIdentity(SHOP, 'order-2'),
    keyedIdentity('shop2' as Namespace, 'order-1'),
    keyedIdentity(SHOP, keyOfItem('order-1', 0)),
  ]
  const ids = [id, ...others.map((other) => other.id)]
  assert.equal(new Set(ids).size, ids.length)
  for (let n = 0; n < 200; n++) {
    assert.match(keyedIdentity(SHOP, `k${n}`).id, /^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  }
})

test('a create with other parameters is refused, whatever became of the timer', () => {
  const others = [
    keyed(new Date(NOW + 2 * MINUTE).toISOString()),
    keyed(DUE, {}),
    keyed(DUE, { ...PAYLOAD, timeoutMs: 1_000 }),
    keyed('PT1M'),
  ]
  for (const status of Object.values(Status)) {
    for (const other of others) {
      assert.throws(() => decide(inStatus(made(), status), other, at(NOW)), {
        code: 'IDEMPOTENCY_KEY_REUSED',
        message: /'order-1'/,
      })
    }
  }
})

test('the same create is answered with the timer that is there, a canceled one included, also after its due time', () => {
  const spelled = keyed(DUE, {
    payload: '{ "b": [9007199254740993, 100], "a": 1.0 }' as JsonText,
    traceparent: 'other',
  })
  for (const status of Object.values(Status)) {
    const timer = inStatus(made(), status)
    for (const now of [NOW, NOW + 10 * MINUTE])
      assert.deepEqual(tryDecide(timer, spelled, now), { type: 'keep', timer })
  }
  assert.equal(standsAlone(keyed(), NOW + 10 * MINUTE), false)
})

test('an update in between does not make another create of it', () => {
  const update = { type: 'update', ...KEY, changes: { payload: null }, ifVersion: null, minLeadMs: null } as const
  const timer = decide(made(), update, at(NOW + 1)).timer
  assert.deepEqual(tryDecide(timer, keyed(), NOW + 2), { type: 'keep', timer })
})

test('a timer that a create without a key has made is in the way', () => {
  const { fingerprint: _, ...plain } = keyed()
  const timer = decide(null, plain, at(NOW)).timer
  assert.deepEqual(tryDecide(timer, keyed(), NOW), { type: 'refused', code: 'IDEMPOTENCY_KEY_REUSED' })
})
