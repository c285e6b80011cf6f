// What holds for every answer, whatever contract it is of.

import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { test } from 'node:test'
import { createLogger } from '../runtime/telemetry/logger.ts'
import { MemoryStore } from '../store/memory/memory-store.ts'
import { StoreError } from '../store/store.ts'
import { CONTRACTS } from './contracts/all-contracts.ts'
import { testServer } from './test-server.fixture.ts'

const TIMER = { executeAt: '2030-01-31T09:00:00Z', callbackUrl: 'https://example.com/hook' }

test('no browser takes an answer for something else, and no other site can embed it', async (t) => {
  const { url, post, request } = await testServer(t, { contracts: CONTRACTS })
  const answers = [
    await post('/api/v1/timers/create', { ...TIMER, payload: '<script>alert(1)</script>' }),
    await post('/api/v1/timers/create', '{'),
    await post('/api/v1/timers', { timer_id: 'a', duration_or_cycle: 'PT1M' }),
    await request('/timers'),
    await request('/nowhere'),
    await request('/%zz'),
    await request('/healthz'),
    await request('/metrics'),
    await request('/openapi.json'),
  ]
  const live = await fetch(`${url}/api/v1/live`)
  await live.body!.cancel()
  for (const { headers } of [...answers, live]) {
    assert.deepEqual(
      [headers.get('x-content-type-options'), headers.get('cross-origin-resource-policy')],
      ['nosniff', 'same-origin'],
    )
  }
  const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write('nonsense\r\n\r\n'))
  assert.match(
    await readText(socket),
    /x-content-type-options: nosniff\r\ncross-origin-resource-policy: same-origin\r\n/,
  )
})

test('a store that fails is named in the log, and to no client', async (t) => {
  const lines: string[] = []
  const secret = 'PostgreSQL at db.internal:6543, database ledger'
  const fail = (): Promise<never> => Promise.reject(new StoreError(`cannot read from ${secret}: it is starting`))
  class FailingStore extends MemoryStore {
    override getMany = fail
    override commit = fail
    override page = fail
    override list = fail
  }
  const destination = { write: (line: string) => void lines.push(line) }
  const logger = createLogger({ logLevel: 'info', logFormat: 'json', destination })
  const { post, request, clock } = await testServer(t, { contracts: CONTRACTS, store: new FailingStore(), logger })
  const uuid = '018f3c8e-5b7a-7d3c-9a51-0d6a1f0c2b44'
  for (let round = 0; round < 2; round++) {
    const answers = [
      await post('/api/v1/timers/create', TIMER),
      await post('/api/v1/timers/create', { ...TIMER, id: 'a' }),
      await post('/api/v1/timers/get', { timerId: 'a' }),
      await post('/api/v1/timers/list', {}),
      await post('/api/v1/timers', { timer_id: 'a', duration_or_cycle: 'PT1M' }),
      await request('/api/v1/timers/a'),
      await request(`/timers/${uuid}`),
      await request('/timers'),
    ]
    for (const { status, text } of answers) {
      assert.equal(status, 503, text)
      assert.doesNotMatch(text, /db\.internal|6543|ledger|PostgreSQL/, text)
    }
    const { text: batch } = await post('/api/v1/timers/batch', { timers: [{ ...TIMER, id: 'b' }] })
    assert.match(batch, /"status":503/)
    assert.doesNotMatch(batch, /db\.internal|6543|ledger/)
  }
  const logged = () =>
    lines.filter((line) => line.includes('requests answered with 503') && line.includes(secret)).length
  assert.equal(logged(), 1)
  await clock.advance(10_000)
  await post('/api/v1/timers/get', { timerId: 'a' })
  assert.equal(logged(), 2)
})

test('the documentation uses the address that it was asked at', async (t) => {
  const { url, request } = await testServer(t, { allowAnonymous: true })
  const address = async (headers: Record<string, string>) =>
    /DUETIME=(\S+)<\/pre>/.exec(await docsWith(url, headers))?.[1]
  assert.equal(await address({}), url)
  assert.equal(
    await address({ Host: 'timers.example.com', 'X-Forwarded-Proto': 'https' }),
    'https://timers.example.com',
  )
  assert.equal(await address({ Host: '[::1]:8080' }), 'http://[::1]:8080')
  assert.equal(await address({ Host: '<script>' }), 'http://127.0.0.1:8080')
  assert.deepEqual((await request('/openapi.json')).json['servers'], [
    { url: '/', description: 'Where this document was read.' },
  ])
})

/** By hand, since fetch sets the host itself. */
async function docsWith(url: string, headers: Record<string, string>): Promise<string> {
  const { port, host } = new URL(url)
  const lines = Object.entries({ Host: host, ...headers, Connection: 'close' }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  const socket = connect(Number(port), '127.0.0.1', () => socket.write(`GET /docs HTTP/1.1\r\n${lines.join('')}\r\n`))
  return readText(socket)
}
