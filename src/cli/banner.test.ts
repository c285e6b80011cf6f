import assert from 'node:assert/strict'
import { test } from 'node:test'
import { banner } from './banner.ts'

const url = 'http://127.0.0.1:8080'

test('a service without keys and a store that forgets are said plainly', () => {
  const text = banner({ loopbackOnly: false, keysNeeded: false, database: { type: 'memory' } }, url)
  assert.match(text, /Anyone who can reach this address may use it/)
  assert.match(text, /lost when it stops/)
})

test('with keys it says that one is needed, and what to try sends one', () => {
  const text = banner({ loopbackOnly: false, keysNeeded: true, database: { type: 'memory' } }, url)
  assert.match(text, /needs an API key/)
  assert.match(text, /application\/json' \\\n +-H "X-API-Key: \$API_KEY" \\\n +-d /)
  assert.doesNotMatch(text, /ALLOW_ANONYMOUS|Only this machine/)
})

test('it says where the service is, who can reach it, where the timers are and what to try', () => {
  const text = banner(
    { loopbackOnly: true, keysNeeded: false, database: { type: 'sqlite', path: '/var/lib/t.db' } },
    url,
  )
  assert.match(text, /listens on http:\/\/127\.0\.0\.1:8080/)
  assert.match(text, /Only this machine can reach it, because no API key is configured/)
  assert.match(text, /stored in \/var\/lib\/t\.db/)
  const [, body = ''] = /-d '(.*)'/.exec(text) ?? []
  assert.deepEqual(Object.keys(JSON.parse(body) as object), ['id', 'schedule', 'callbackUrl', 'payload'])
})
