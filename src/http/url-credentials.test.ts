// Credentials in callback URLs, in every way of writing them that a delivery understands: whoever may only read sees
// neither user names nor passwords, through whatever contract and route.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Permission } from '../core/access/access.ts'
import type { Principal } from '../core/access/access.ts'
import { createKey, hashKey } from '../service/keys/api-key.ts'
import { KeyRing } from '../service/keys/key-ring.ts'
import { CONTRACTS } from './contracts/all-contracts.ts'
import { REFUSED, testServer } from './test-server.fixture.ts'

const URLS = [
  'http://S3CRET@corp.com:S3CRET@host.test/x',
  'http:///S3CRET:S3CRET@host.test/x',
  'http://S3CRET@host.test/x',
  'http://\\S3CRET:S3CRET@host.test/x',
  'https://:S3CRET@host.test/x',
]

/** A key that may do everything, and one that may only read. */
function twoKeys(): { readonly keys: KeyRing; readonly writer: string; readonly reader: string } {
  const [writer, reader] = [createKey(), createKey()]
  const principal = (name: string, permission: Permission): Principal => {
    return { name, permissions: new Set([permission]), namespaces: null, rateLimit: null }
  }
  const keys = new KeyRing()
  keys.replace([
    { hash: hashKey(writer), principal: principal('writer', Permission.admin) },
    { hash: hashKey(reader), principal: principal('reader', Permission.read) },
  ])
  return { keys, writer, reader }
}

test('who may only read sees no credential of a URL, wherever timers are shown', async (t) => {
  const { keys, writer, reader } = twoKeys()
  const { post, request, clock } = await testServer(t, { contracts: CONTRACTS, keys, answer: () => REFUSED })
  const executeAt = '2029-12-01T12:00:10Z'
  for (const [index, url] of URLS.entries()) {
    const made = [
      await post('/api/v1/timers/create', { id: `v${index}`, executeAt, callbackUrl: url }, { 'x-api-key': writer }),
      await post('/api/v1/timers', { id: `g${index}`, executeAt, callbackUrl: url }, { 'x-api-key': writer }),
      await post(
        '/api/v1/timers',
        { timer_id: `c${index}`, duration_or_cycle: 'PT10S', callback_url: url },
        { 'x-api-key': writer },
      ),
      await post('/timers', { execute_at: executeAt, callback: { type: 'http', url } }, { 'x-api-key': writer }),
    ]
    for (const { status, text } of made) assert.ok(status < 300, text)
    for (const { text } of made) assert.doesNotMatch(text, /S3CRET/)
    const uuid = (made[3]!.json['data'] as { id: string }).id
    for (const isFired of [false, true]) {
      const shown = [
        await post('/api/v1/timers/get', { timerId: `v${index}` }, { 'x-api-key': reader }),
        await post('/api/v1/timers/list', {}, { 'x-api-key': reader }),
        await request(`/api/v1/timers/default/g${index}`, { headers: { 'x-api-key': reader } }),
        await request(`/api/v1/timers/c${index}`, { headers: { 'x-api-key': reader } }),
        await request('/api/v1/timers', { headers: { 'x-api-key': reader } }),
        await request(`/timers/${uuid}`, { headers: { 'x-api-key': reader } }),
        await request('/timers', { headers: { 'x-api-key': reader } }),
        await request('/api/v1/overview', { headers: { 'x-api-key': reader } }),
      ]
      for (const { status, text } of shown) {
        assert.equal(status, 200, text)
        assert.doesNotMatch(text, /S3CRET/i)
      }
      if (!isFired && index === URLS.length - 1) await clock.advance(60_000)
    }
  }
})

test('a URL is stored as it was given, unless it is written in a way that hides where its host begins', async (t) => {
  const { post } = await testServer(t)
  const stored = async (callbackUrl: string) => {
    const { json, text } = await post('/api/v1/timers/create', { id: 't', schedule: 'PT1M', callbackUrl })
    assert.equal(json['id'], 't', text)
    return (
      (await post('/api/v1/timers/get', { timerId: 't', includeSecrets: true })).json['callback'] as { url: string }
    ).url
  }
  for (const url of ['HTTP://Example.com', 'https://example.com?to=a@b', 'https://example.com/%7euser/@me#x'])
    assert.equal(await stored(url), url)
  assert.equal(await stored('http:///user:pw@example.com'), 'http://user:pw@example.com/')
  assert.equal(await stored('https://user@corp.com:pw@example.com/a'), 'https://user%40corp.com:pw@example.com/a')
})
