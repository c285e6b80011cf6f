import assert from 'node:assert/strict'
import { test } from 'node:test'
import { logLevel } from './log-level.ts'
import { databaseUrl, egressRule, hostName, httpUrl, webhookSecret } from './places.ts'
import { boolean, bytes, choice, duration, integer, list, pairs } from './values.ts'
import type { ValueType } from './values.ts'

function refuses<T>(type: ValueType<T>, ...texts: readonly string[]): void {
  for (const text of texts) assert.throws(() => type.parse(text), RangeError, JSON.stringify(text))
}

test('whole numbers are digits within the bounds', () => {
  const type = integer({ min: 1, max: 10 })
  refuses(type, '0', '11', '-1', '1.5', '1e1', '0x1', ' 1', '', 'NaN', '9'.repeat(400))
  assert.deepEqual([type.parse('1'), type.parse('10')], [1, 10])
})

test('sizes have binary or decimal units, or none', () => {
  const type = bytes({ min: '1KiB', max: '1GiB' })
  refuses(type, '1023', '2GiB', '1XiB', 'KiB', '1.5MiB', '-1KiB', '')
  assert.deepEqual(['1024', '1KiB', '2mib', '1 MB', '1GiB'].map(type.parse), [
    1_024,
    1_024,
    2_097_152,
    1_000_000,
    2 ** 30,
  ])
})

test('durations have their unit, days included', () => {
  const type = duration({ min: '1s', max: '400d' })
  refuses(type, '7', '', 'd', '7days', '1d1d', '1y', 'P1M', '999ms', '401d', '-1s', '1s1d')
  const texts = ['1s', '1500ms', '1h30m', '7d', '1d12h', 'PT30S', 'P7D']
  assert.deepEqual(texts.map(type.parse), [1_000, 1_500, 5_400_000, 604_800_000, 129_600_000, 30_000, 604_800_000])
})

test('a number without a unit is a duration only where its unit is documented', () => {
  assert.equal(duration({ min: '1ms', max: '1h', bareUnit: 'ms' }).parse('5000'), 5_000)
  refuses(duration({ min: '1ms', max: '1h' }), '5000')
})

test('switches and choices take what people write', () => {
  refuses(boolean(), '', 'maybe', '2')
  assert.deepEqual(['true', 'YES', '1', 'off'].map(boolean().parse), [true, true, true, false])
  refuses(choice('json', 'pretty'), 'xml', '')
  assert.equal(choice('json', 'pretty').parse('JSON'), 'json')
})

test('a bad entry of a list is named by its place, not by its text', () => {
  const type = list(integer({ min: 1, max: 9 }))
  assert.throws(
    () => type.parse('1, 2, hunter2'),
    (error: Error) => /entry 3/.test(error.message) && !/hunter2/.test(error.message),
  )
  assert.deepEqual(type.parse(' 1,, 2 ,'), [1, 2])
  assert.deepEqual(type.parse(''), [])
})

test('pairs need a name and a value, and each name once', () => {
  const type = pairs(choice('a', 'b'), integer({ min: 1, max: 9 }))
  refuses(type, 'a', 'a=', '=1', 'c=1', 'a=1,a=2')
  assert.deepEqual(
    [...type.parse('a=1, b = 2')],
    [
      ['a', 1],
      ['b', 2],
    ],
  )
})

test('a database URL is of a known database, and other ones are refused by name', () => {
  const type = databaseUrl()
  refuses(type, '', './data.db', 'sqlite:', 'sqlite::memory:', 'postgres://h/db', 'file:x.db')
  assert.throws(() => type.parse('oracle://u:p@h/db'), /sqlite:<path>.*memory:.*`oracle:`/)
  assert.deepEqual(['sqlite:./a.db', 'sqlite:///var/a.db', 'sqlite:/var/a.db', 'SQLite:a b.db'].map(type.parse), [
    { type: 'sqlite', path: './a.db' },
    { type: 'sqlite', path: '/var/a.db' },
    { type: 'sqlite', path: '/var/a.db' },
    { type: 'sqlite', path: 'a b.db' },
  ])
})

test('hosts and egress rules are names, addresses and ranges, never URLs', () => {
  refuses(hostName(), '', 'http://a', 'a:80', '256.1.1.1', '1.2.3', 'a..b', 'a b')
  assert.deepEqual(['127.0.0.1', '[::1]', 'my-host.example'].map(hostName().parse), [
    '127.0.0.1',
    '::1',
    'my-host.example',
  ])
  refuses(egressRule(), 'http://a', 'a/8', '10.0.0.0/33', '10.0.0.0/', '10/8', '0x7f.1/8', 'a:80', '*')
  const rules = ['loopback', 'private', '10.0.0.0/8', 'fd00::/8', '192.0.2.1', 'Hooks.example.com', '*.example.com']
  assert.deepEqual(rules.map(egressRule().parse), [
    'loopback',
    'private',
    '10.0.0.0/8',
    'fd00::/8',
    '192.0.2.1',
    'hooks.example.com',
    '*.example.com',
  ])
})

test('a base URL is absolute and http', () => {
  refuses(httpUrl(), '/internal', 'ftp://a/', 'a.example', `http://a/${'x'.repeat(2_048)}`)
  assert.equal(httpUrl().parse('https://a.example/base/'), 'https://a.example/base/')
})

test('a webhook secret has enough random bytes', () => {
  const secret = (count: number) => `whsec_${Buffer.alloc(count, 7).toString('base64')}`
  refuses(webhookSecret(), '', 'whsec_', 'whsec_not base64!', secret(23), secret(65))
  assert.equal(webhookSecret().parse(secret(24)), secret(24))
  assert.equal(webhookSecret().parse(secret(64)), secret(64))
})

test("a log level is a word, or directives of which the program's own counts before that for everything", () => {
  refuses(logLevel(), '', 'loud', 'warn,', 'duetime=', 'duetime=loud', 'hyper', 'warn,/regex/')
  const texts = [
    'info',
    'WARN',
    'off',
    'warn,duetime=debug',
    'duetime=trace,error',
    'hyper=debug,warn',
    'hyper=debug',
    ' duetime=off , info',
  ]
  assert.deepEqual(texts.map(logLevel().parse), ['info', 'warn', 'silent', 'debug', 'trace', 'warn', 'info', 'silent'])
})
