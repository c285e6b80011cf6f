import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parsePostgresUrl } from './postgres.ts'

test('a URL that says too little or something unknown is refused, without repeating the password', () => {
  const refused = ['postgres://h/db', 'postgres://u@h', 'postgres://u@/db', 'postgres:u@h/db', 'http://u:hunter2@h/db']
  refused.push(
    'postgres://u:hunter2@h/db?ssl=1',
    'postgres://u:hunter2@h/db?sslmode=maybe',
    'postgres://u:hunter2%@h/db',
  )
  for (const url of refused) {
    assert.throws(
      () => parsePostgresUrl(url),
      (error: unknown) =>
        error instanceof RangeError && !error.message.includes('hunter2') && error.message.startsWith('a URL'),
      url,
    )
  }
})

test('a URL is read as every tool writes it', () => {
  const plain = { mode: 'disable', caFile: null, certFile: null, keyFile: null }
  const expected = { host: 'db.example', port: 6543, user: 'me', password: 'p@ss/w', database: 'timers', tls: plain }
  assert.deepEqual(parsePostgresUrl('postgres://me:p%40ss%2Fw@db.example:6543/timers'), expected)
  const least = { host: '::1', port: 5432, user: 'u', password: null, database: 'd', tls: plain }
  assert.deepEqual(parsePostgresUrl('postgresql://u@[::1]/d'), least)
  assert.equal(parsePostgresUrl('postgres://u@localhost/d?host=/var/run/postgresql').host, '/var/run/postgresql')
  const { tls } = parsePostgresUrl(
    'postgres://u@h/d?sslmode=verify-full&sslrootcert=/ca.pem&sslcert=/me.pem&sslkey=/me.key',
  )
  assert.deepEqual(tls, { mode: 'verify-full', caFile: '/ca.pem', certFile: '/me.pem', keyFile: '/me.key' })
})
