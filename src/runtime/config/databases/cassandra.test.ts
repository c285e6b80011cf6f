import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseCassandraUrl } from './cassandra.ts'

const PLAIN = {
  hosts: ['db:9042'],
  port: 9042,
  keyspace: 'duetime',
  user: null,
  password: '',
  dataCenter: null,
  consistency: 'local_quorum',
  tls: null,
}

test('a Cassandra URL without hosts, keyspace or sense is refused with the right form', () => {
  for (const url of [
    'cassandra:',
    'cassandra://',
    'cassandra://db',
    'cassandra://db/',
    'cassandra://db/Timers',
    'cassandra://db,/timers',
    'cassandra://db:0/timers',
    'cassandra://db:99999/timers',
    'cassandra://a b/timers',
  ])
    assert.throws(
      () => parseCassandraUrl(url),
      { name: 'RangeError', message: /cassandra:\/\/user:password@host,host\/keyspace/ },
      url,
    )
  assert.throws(() => parseCassandraUrl('cassandra://db/timers?dc=x'), /`dc` is not known/)
  assert.throws(() => parseCassandraUrl('cassandra://db/timers?consistency=one'), /one of local_quorum, quorum/)
  assert.throws(() => parseCassandraUrl('cassandra://db/timers?ssl=yes'), /ssl is true or false/)
  assert.throws(() => parseCassandraUrl('cassandra://db/timers?sslcert=a'), /both sslcert and sslkey/)
})

test('a password is not repeated when a Cassandra URL is refused', () => {
  for (const url of ['cassandra://me:secret@db/Timers', 'cassandra://me:%secret@db/timers', 'cassandra://me:secret@/x'])
    assert.throws(
      () => parseCassandraUrl(url),
      (error: Error) => !error.message.includes('secret'),
      url,
    )
})

test('a Cassandra URL names hosts, a keyspace, and perhaps who asks, where, how safely', () => {
  assert.deepEqual(parseCassandraUrl('cassandra://db/duetime'), PLAIN)
  assert.deepEqual(parseCassandraUrl('cassandra://a:9043,b,[::1]:9044/my_timers?datacenter=eu&consistency=quorum'), {
    ...PLAIN,
    hosts: ['a:9043', 'b:9042', '[::1]:9044'],
    port: 9043,
    keyspace: 'my_timers',
    dataCenter: 'eu',
    consistency: 'quorum',
  })
  assert.deepEqual(parseCassandraUrl('cassandra://me:p%40ss:word@db/duetime?ssl=true&sslrootcert=/ca.pem'), {
    ...PLAIN,
    user: 'me',
    password: 'p@ss:word',
    tls: { caFile: '/ca.pem', certFile: null, keyFile: null },
  })
})
