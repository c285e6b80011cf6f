import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigError, loadConfig } from './config.ts'

const ALL = { PG_HOST: 'db', PG_USER: 'timer', PG_PASSWORD: 'hunter2', PG_DB_NAME: 'timers' }
const LOCATION = { type: 'postgres', host: 'db', port: 5432, user: 'timer', password: 'hunter2', database: 'timers' }
const NO_FILES = { caFile: null, certFile: null, keyFile: null }
const PLAIN = { mode: 'disable', ...NO_FILES }

function problemOf(env: Record<string, string>): string {
  try {
    loadConfig({ env })
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.join('\n')
    throw error
  }
  return ''
}

test('settings for PostgreSQL that do not add up are refused, and the password is not repeated', () => {
  const cases: [Record<string, string>, RegExp][] = [
    [{ PG_HOST: 'db' }, /^PG_HOST=db \(environment\): needs PG_USER and PG_DB_NAME too\.$/],
    [
      { ...ALL, DATABASE_URL: 'sqlite:a.db' },
      /DATABASE_URL=\*\*\* .* and PG_HOST=db \(environment\): each says where the database is/,
    ],
    [{ PG_USER: 'timer' }, /^PG_USER=timer \(environment\): goes with PG_HOST, which is not set\.$/],
    [{ PG_PASSWORD: 'hunter2' }, /^PG_PASSWORD=\*\*\* \(environment\): is for PostgreSQL/],
    [{ ...ALL, PG_SSL: 'maybe' }, /must be one of disable, require, verify-ca, verify-full/],
    [{ DATABASE_URL: 'postgres://timer:hunter2@db' }, /user, host and database/],
    [
      { ...ALL, PG_SSL_CA: '/ca.pem' },
      /^PG_SSL_CA=\/ca\.pem \(environment\): is for TLS, and the connection is not encrypted/,
    ],
    [
      { ...ALL, PG_SSL: 'require', PG_SSL_CERT: '/me.pem' },
      /^PG_SSL_CERT=\/me\.pem .*go together: PG_SSL_CERT and PG_SSL_KEY/,
    ],
    [
      { DATABASE_URL: 'postgres://timer:hunter2@db/timers?sslrootcert=/ca.pem' },
      /^DATABASE_URL=\*\*\* .*not encrypted\. Set PG_SSL=/,
    ],
    [{ ...ALL, SHARDS: '0' }, /^SHARDS=0 .*1 to 4096/],
  ]
  for (const [env, message] of cases) {
    const problem = problemOf(env)
    assert.match(problem, message)
    assert(!problem.includes('hunter2'))
  }
})

test('the database is found by URL or by variables', () => {
  assert.deepEqual(loadConfig({ env: ALL }).database, { ...LOCATION, tls: PLAIN })
  const tls = {
    PG_PORT: '6543',
    PG_SSL: 'verify-full',
    PG_SSL_CA: '/ca.pem',
    PG_SSL_CERT: '/me.pem',
    PG_SSL_KEY: '/me.key',
  }
  const checked = { mode: 'verify-full', caFile: '/ca.pem', certFile: '/me.pem', keyFile: '/me.key' }
  assert.deepEqual(loadConfig({ env: { ...ALL, ...tls } }).database, { ...LOCATION, port: 6543, tls: checked })
  assert.deepEqual(loadConfig({ env: { DATABASE_URL: 'postgres://timer:hunter2@db/timers' } }).database, {
    ...LOCATION,
    tls: PLAIN,
  })
})

test('the password may stand apart from the URL', () => {
  const env = {
    DATABASE_URL: 'postgresql://timer@db/timers?sslmode=require',
    PG_PASSWORD: 'hunter2',
    PG_SSL_CA: '/ca.pem',
  }
  assert.deepEqual(loadConfig({ env }).database, {
    ...LOCATION,
    tls: { ...NO_FILES, mode: 'require', caFile: '/ca.pem' },
  })
})

test('pool, timeout and shards have defaults', () => {
  const { pgPoolSize, pgStatementTimeoutMs, shards } = loadConfig({ env: ALL })
  assert.deepEqual([pgPoolSize, pgStatementTimeoutMs, shards], [8, 10_000, null])
})
