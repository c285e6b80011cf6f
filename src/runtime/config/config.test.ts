import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigError, loadConfig } from './config.ts'
import type { ConfigSources } from './config.ts'

function problemsOf(sources: ConfigSources): readonly string[] {
  try {
    loadConfig({ env: {}, ...sources })
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

test('origins of web pages are as browsers send them, and any page needs API keys', () => {
  const problem = (text: string, env: Record<string, string> = {}) =>
    problemsOf({ env: { CORS_ORIGINS: text, ...env } })[0] ?? ''
  assert.match(problem('https://app.example.com/'), /this one is `https:\/\/app\.example\.com`/)
  assert.match(problem('HTTPS://App.Example.com:443'), /this one is `https:\/\/app\.example\.com`/)
  for (const text of ['app.example.com', 'https://', 'https://*.example.com/x', 'a b'])
    assert.match(problem(text), /an origin as browsers send it/, text)
  assert.match(problem('null'), /every sandboxed frame/)
  assert.match(problem('*'), /^CORS_ORIGINS=\* \(environment\): lets every page on the web .* set API_KEY or KEYS_FILE/)
  assert.match(problem('*', { ALLOW_ANONYMOUS: 'true' }), /lets every page/)
  const origins = (env: Record<string, string>) => loadConfig({ env }).corsOrigins
  assert.deepEqual(origins({}), [])
  assert.deepEqual(origins({ CORS_ORIGINS: '*', API_KEY: 'k'.repeat(32) }), ['*'])
  const named = ['https://app.example.com', 'http://localhost:5173', 'http://[::1]:8080', 'capacitor://localhost']
  assert.deepEqual(origins({ CORS_ORIGINS: named.join(', ') }), named)
})

test('everything that is wrong is reported at once, with what was given, where, and what is right', () => {
  const problems = problemsOf({
    env: { PORT: 'http', LOG_LEVEL: 'loud' },
    flags: { retention: '7', 'window-timers-max': '1' },
  })
  assert.deepEqual(problems, [
    'PORT=http (environment): must be a whole number, 0 to 65535.',
    '--retention=7 (flag): must be a duration, 1s to 36500d, with its unit: such as 500ms, 30s, 1h30m, 7d or PT30S.',
    '--window-timers-max=1 (flag): must be a whole number, 100 to 10000000.',
    'LOG_LEVEL=loud (environment): must be one of trace, debug, info, warn, error, fatal, silent, or directives with these words, such as warn,duetime=debug.',
  ])
})

test('a secret is never repeated, whatever is wrong with it', () => {
  const env = { WEBHOOK_SECRETS: 'whsec_hunter2', DATABASE_URL: 'oracle://admin:hunter2@db/x' }
  assert.throws(
    () => loadConfig({ env }),
    (error: Error) => !`${error.message}${error.stack}`.includes('hunter2') && /sqlite:.*`oracle:`/.test(error.message),
  )
})

test('a flag that does not exist is refused and the nearest one is named', () => {
  assert.deepEqual(problemsOf({ flags: { prot: '80' } }), ['--prot (flag): no such flag. Did you mean --port?'])
  assert.match(problemsOf({ flags: { 'quite-something-else': '' } })[0]!, /--help/)
})

test('variables that are not settings are nobody’s business', () => {
  assert.deepEqual(problemsOf({ env: { DUETIME_PROT: '80', PORTS: 'x', PATH: '/bin' } }), [])
})

test('without an API key other machines are let in only when that is said explicitly', () => {
  for (const HOST of ['0.0.0.0', '::', '192.168.1.5', 'example.com']) {
    const [problem] = problemsOf({ env: { HOST } })
    assert.match(problem ?? '', new RegExp(`^HOST=${HOST} \\(environment\\).*ALLOW_ANONYMOUS=true`), HOST)
    assert.equal(loadConfig({ env: { HOST, ALLOW_ANONYMOUS: 'true' } }).loopbackOnly, false)
  }
  for (const HOST of ['127.0.0.1', '127.8.8.8', '::1', '[::1]', 'localhost', '::ffff:127.0.0.1']) {
    assert.equal(loadConfig({ env: { HOST } }).loopbackOnly, true, HOST)
  }
})

test('with an API key or a file of them other machines are let in, and a given address is kept', () => {
  const API_KEY = 'k'.repeat(32)
  for (const env of [
    { API_KEY },
    { KEYS_FILE: 'keys.json' },
    { API_KEY, KEYS_FILE: 'keys.json', ALLOW_ANONYMOUS: 'true' },
  ]) {
    const { host, loopbackOnly, keysNeeded } = loadConfig({ env })
    assert.deepEqual({ host, loopbackOnly, keysNeeded }, { host: '0.0.0.0', loopbackOnly: false, keysNeeded: true })
  }
  assert.equal(loadConfig({ env: { API_KEY, HOST: '127.0.0.1' } }).loopbackOnly, true)
  assert.equal(loadConfig({ env: { API_KEY, HOST: '::' } }).host, '::')
  assert.deepEqual([loadConfig({ env: {} }).host, loadConfig({ env: {} }).keysNeeded], ['127.0.0.1', false])
})

test('an API key that is too short or cannot be sent is refused with a way to make one, and not repeated', () => {
  for (const API_KEY of [
    'hunter2',
    'hunter2'.repeat(4),
    `hunter2${' '.repeat(40)}x`,
    `hunter2${'ä'.repeat(40)}`,
    'hunter2'.repeat(80),
  ]) {
    const [problem = '', ...others] = problemsOf({ env: { API_KEY, HOST: '0.0.0.0' } })
    assert.match(problem, /^API_KEY=\*\*\* \(environment\): must be 32 to 512 .*openssl rand/)
    assert.ok(!problem.includes('hunter2'))
    assert.deepEqual(others, [])
  }
})

test('rules about several settings are checked even while one setting is malformed', () => {
  assert.equal(problemsOf({ env: { PORT: 'x', HOST: '0.0.0.0' } }).length, 2)
})

test('the database is named once', () => {
  assert.match(problemsOf({ env: { DATABASE_URL: 'memory:', TIMER_DB_PATH: 'a.db' } })[0]!, /each says where/)
  assert.deepEqual(loadConfig({ env: { TIMER_DB_PATH: '/var/t.db' } }).database, { type: 'sqlite', path: '/var/t.db' })
  assert.deepEqual(loadConfig({ env: { DATABASE_URL: 'memory:' } }).database, { type: 'memory' })
  assert.deepEqual(loadConfig({ env: {} }).database, { type: 'sqlite', path: './data/duetime.db' })
})

test('a body limit under the payload limit is refused', () => {
  assert.match(
    problemsOf({ env: { BODY_MAX_BYTES: '1KiB' } })[0]!,
    /^BODY_MAX_BYTES=1KiB \(environment\): .*1024 bytes.*262144 bytes/,
  )
})

test('unless it is given, the body limit has room for the largest payload, and that of a batch for the largest body', () => {
  const limits = (env: Record<string, string>) => {
    const { bodyMaxBytes, batchBodyMaxBytes } = loadConfig({ env })
    return [bodyMaxBytes / 1_024, batchBodyMaxBytes / 1_024]
  }
  assert.deepEqual(limits({}), [512, 8_192])
  assert.deepEqual(limits({ PAYLOAD_MAX_BYTES: '8MiB' }), [16_384, 16_384])
  assert.deepEqual(limits({ PAYLOAD_MAX_BYTES: '0B' }), [64, 8_192])
  assert.deepEqual(limits({ BODY_MAX_BYTES: '300KiB', BATCH_BODY_MAX_BYTES: '1MiB' }), [300, 1_024])
})

test('a flag wins over the environment, and an empty variable counts as unset', () => {
  assert.equal(loadConfig({ env: { PORT: '1' }, flags: { port: '2' } }).port, 2)
  assert.equal(loadConfig({ env: { PORT: '1' }, flags: { port: undefined } }).port, 1)
  assert.equal(loadConfig({ env: { PORT: ' ' } }).port, 8080)
  assert.equal(problemsOf({ flags: { port: '' } }).length, 1)
})

test('values arrive typed, in base units', () => {
  const config = loadConfig({
    env: {
      RETENTION_BY_NAMESPACE: 'a=1d, b=30d',
      NAMESPACES: 'a,b',
      PAYLOAD_MAX_BYTES: '1MiB',
      TIMER_POLLING_INTERVAL: '2500',
      SHUTDOWN_GRACE: 'PT3S',
      CALLBACK_ALLOW: 'loopback, 10.0.0.0/8',
    },
    flags: { 'allow-anonymous': 'true' },
  })
  assert.deepEqual(
    [...config.retentionByNamespace],
    [
      ['a', 86_400_000],
      ['b', 30 * 86_400_000],
    ],
  )
  assert.deepEqual(config.namespaces, ['a', 'b'])
  assert.equal(config.payloadMaxBytes, 1_048_576)
  assert.equal(config.pollingIntervalMs, 2_500)
  assert.equal(config.shutdownGraceMs, 3_000)
  assert.equal(config.retentionMs, 7 * 86_400_000)
  assert.deepEqual(config.callbackAllow, ['loopback', '10.0.0.0/8'])
  assert.equal(config.callbackBaseUrl, null)
  assert.equal(config.allowAnonymous, true)
})
