import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { hashKey } from './api-key.ts'
import { KeysFileError, parseKeyEntries } from './key-entries.ts'

const HASH = hashKey('a'.repeat(32))
const GOOD = { name: 'orders', hash: HASH, permissions: ['timer'], namespaces: ['orders', 'team-a.*'] }

function problemsOf(value: unknown): readonly string[] {
  try {
    parseKeyEntries(typeof value === 'string' ? value : JSON.stringify(value), 'keys.json')
  } catch (error) {
    if (error instanceof KeysFileError) return error.problems
    throw error
  }
  return []
}

test('what is no array of objects is refused', () => {
  for (const text of [
    '',
    '{',
    '{}',
    'null',
    '"x"',
    '[1]',
    '[null]',
    '[[]]',
    JSON.stringify(Array.from({ length: 10_001 }, () => GOOD)),
  ]) {
    assert.equal(problemsOf(text).length, 1, text.slice(0, 20))
  }
})

test('everything that is wrong is reported at once, with its entry', () => {
  const problems = problemsOf([
    { ...GOOD, hash: 'sha256:abc', permissions: [], namespaces: [] },
    { ...GOOD, name: 'a b', hash: HASH.toUpperCase() },
    { ...GOOD, name: 'third', key: 'secret', rateLimit: { perSecond: 0 } },
  ])
  const starts = [
    'entry 1 (orders): hash',
    'entry 1 (orders): permissions',
    'entry 1 (orders): namespaces',
    'entry 2: name',
    'entry 2: hash',
    'entry 3 (third): key is not a field',
    'entry 3 (third): rateLimit',
  ]
  assert.equal(problems.length, starts.length, problems.join('\n'))
  for (const [index, start] of starts.entries())
    assert.ok(problems[index]!.startsWith(start), `${problems[index]} / ${start}`)
})

test('fields of the wrong kind are refused', () => {
  const wrong: Record<string, readonly unknown[]> = {
    name: [undefined, null, 1, '', 'anonymous', 'nobody', 'default', '-a', 'x'.repeat(101), 'a\nb'],
    hash: [undefined, null, 1, '', 'a'.repeat(64), `md5:${'a'.repeat(32)}`, `${HASH} `],
    permissions: [undefined, 'timer', [], ['write'], ['timer', 1], { timer: true }],
    namespaces: [undefined, null, '*', [], [1], ['a b'], ['a*b'], ['**'], [''], Array(101).fill('a')],
    natsSubjects: [null, 'orders.>', [1], ['a b'], ['a.>.b'], ['a*'], [''], Array(101).fill('a')],
    rateLimit: [
      ...[null, 5, [], {}, { perSecond: '5' }, { perSecond: -1 }],
      ...[
        { perSecond: 5, burst: 0 },
        { perSecond: 5, burst: 1.5 },
        { perSecond: 5, per: 1 },
      ],
    ],
  }
  for (const [field, values] of Object.entries(wrong)) {
    for (const value of values)
      assert.equal(problemsOf([{ ...GOOD, [field]: value }]).length, 1, `${field}: ${JSON.stringify(value)}`)
  }
})

test('two keys with one name or one hash are refused', () => {
  const other = hashKey('b'.repeat(32))
  assert.match(problemsOf([GOOD, { ...GOOD, hash: other }])[0]!, /more than one entry has the name orders/)
  assert.match(problemsOf([GOOD, { ...GOOD, name: 'other' }])[0]!, /more than one entry has the hash/)
})

test('an admin cannot be bound to namespaces', () => {
  assert.match(problemsOf([{ ...GOOD, permissions: ['admin'] }])[0]!, /entry 1 \(orders\): admin/)
  assert.deepEqual(problemsOf([{ ...GOOD, permissions: ['admin', 'timer'], namespaces: ['*'] }]), [])
})

test('a good entry is read as it is, with a burst of a second unless it says another', () => {
  const [entry] = parseKeyEntries(JSON.stringify([{ ...GOOD, rateLimit: { perSecond: 2.5 } }]), '')
  const rateLimit = { perSecond: 2.5, burst: 3 }
  const principal = { name: 'orders', permissions: new Set(['timer']), namespaces: ['orders', 'team-a.*'], rateLimit }
  assert.deepEqual(entry, { hash: HASH, principal })
  assert.deepEqual(parseKeyEntries('[]', ''), [])
  const [all] = parseKeyEntries(JSON.stringify([{ ...GOOD, namespaces: ['a', '*'] }]), '')
  assert.equal(all!.principal.namespaces, null)
  const [bound] = parseKeyEntries(JSON.stringify([{ ...GOOD, natsSubjects: ['orders.>'] }]), '')
  assert.ok(bound!.principal.natsSubjects!.match('orders.paid') && !bound!.principal.natsSubjects!.match('billing'))
  const [none] = parseKeyEntries(JSON.stringify([{ ...GOOD, natsSubjects: [] }]), '')
  assert.ok(!none!.principal.natsSubjects!.match('orders.paid'))
})

test('whatever the file has, it is read or refused with reasons', () => {
  const field = fc.oneof(fc.constantFrom(...Object.values(GOOD)), fc.jsonValue())
  const entry = fc.record(
    { name: field, hash: field, permissions: field, namespaces: field, rateLimit: field },
    { requiredKeys: [] },
  )
  fc.assert(fc.property(fc.oneof(fc.array(entry), fc.jsonValue()), (value) => void problemsOf(JSON.stringify(value))))
})
