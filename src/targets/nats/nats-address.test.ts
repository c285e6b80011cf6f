import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SubjectPatterns } from '../../core/timer/subject.ts'
import type { NatsTarget } from '../../core/targets/nats.ts'
import type { Namespace } from '../../core/timer/timer.ts'
import { subjectOf } from '../../core/targets/nats.ts'
import { natsTargetFault } from './nats-address.ts'

const SHOP = 'shop' as Namespace
const OPEN = {
  namespacePrefix: null,
  own: new SubjectPatterns(['timer.commands', 'duetime.v1.timers.>']),
  allowed: null,
}

function target(changes: Partial<NatsTarget>): NatsTarget {
  return { type: 'nats', topic: 'orders', key: null, headers: null, ...changes }
}

test('a topic or key that is no subject is refused, and named', () => {
  for (const topic of ['', 'a b', 'a.*', 'a.>', '.a', 'a.', 'a..b', '$JS.API.INFO', '_INBOX.x', 'a\r\nb']) {
    assert.match(natsTargetFault(target({ topic }), SHOP, OPEN) ?? 'none', /^topic must not/, topic)
  }
  for (const key of ['', 'a b', '*', '>', '.a', 'a.', 'a..b']) {
    assert.match(natsTargetFault(target({ key }), SHOP, OPEN) ?? 'none', /^key must not/, key)
  }
  assert.match(
    natsTargetFault(target({ topic: 'a'.repeat(300), key: 'b'.repeat(300) }), SHOP, OPEN) ?? 'none',
    /^topic and key together/,
  )
})

test('a header that would command the stream is refused', () => {
  for (const name of ['Nats-Msg-Id', 'nats-rollup', 'Nats-Expected-Stream']) {
    assert.match(natsTargetFault(target({ headers: { [name]: 'x' } }), SHOP, OPEN) ?? 'none', /broker's own/)
  }
})

test('with a prefix a namespace stays within its own subjects', () => {
  const rules = { ...OPEN, namespacePrefix: 'tenants' }
  for (const topic of ['orders', 'tenants.other.orders', 'tenants.shop', 'tenants.shopping.x']) {
    assert.match(natsTargetFault(target({ topic }), SHOP, rules) ?? 'none', /'tenants\.shop\.…' only/)
  }
  assert.equal(natsTargetFault(target({ topic: 'tenants.shop.orders', key: 'paid' }), SHOP, rules), null)
  assert.equal(natsTargetFault(target({ topic: 'tenants.shop', key: 'orders' }), SHOP, rules), null)
})

test('a key is appended to the topic', () => {
  assert.equal(subjectOf(target({})), 'orders')
  assert.equal(subjectOf(target({ key: 'eu.paid' })), 'orders.eu.paid')
  assert.equal(natsTargetFault(target({ key: 'eu.$paid', headers: { 'X-Team': 'a' } }), SHOP, OPEN), null)
})

test('a namespace with a dot does not spell subjects of another one', () => {
  const rules = { ...OPEN, namespacePrefix: 'tenants' }
  const dotted = 'shop.orders' as Namespace
  assert.match(
    natsTargetFault(target({ topic: 'tenants.shop.orders.paid' }), dotted, rules) ?? 'none',
    /'tenants\.shop%2Eorders\.…' only/,
  )
  assert.equal(natsTargetFault(target({ topic: 'tenants.shop%2Eorders.paid' }), dotted, rules), null)
})

test('the subjects of the service are refused, also when topic and key make one together', () => {
  const targets = [
    { topic: 'timer.commands' },
    { topic: 'timer', key: 'commands' },
    { topic: 'duetime', key: 'v1.timers.create' },
  ]
  for (const one of targets) assert.match(natsTargetFault(target(one), SHOP, OPEN) ?? 'none', /of the service itself/)
  assert.equal(natsTargetFault(target({ topic: 'timer', key: 'commands.mine' }), SHOP, OPEN), null)
})

test('with a list of what is allowed nothing else is', () => {
  const rules = { ...OPEN, allowed: new SubjectPatterns(['orders.>', 'timer.commands']) }
  assert.match(natsTargetFault(target({}), SHOP, rules) ?? 'none', /NATS_CALLBACK_ALLOW/)
  assert.equal(natsTargetFault(target({ key: 'paid' }), SHOP, rules), null)
  assert.match(natsTargetFault(target({ topic: 'timer.commands' }), SHOP, rules) ?? 'none', /of the service itself/)
})
