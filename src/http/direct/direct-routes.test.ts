// Create and batch, as the framework answers them and as they are answered without it: nobody can tell which it was.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { testServer } from '../test-server.fixture.ts'

const TIMER = { executeAt: '2030-01-01T00:00:00Z', callbackUrl: 'https://example.com/hook', payload: { n: 1 } }
/** The framework's: it has headers that may matter. */
const FRAMEWORK = { origin: 'https://page.example' }

/** A connection that sends exactly these bytes, and gives the answers one by one. */
async function rawConnection(t: TestContext, url: string) {
  const socket: Socket = connect(Number(new URL(url).port), '127.0.0.1')
  t.after(() => socket.destroy())
  await once(socket, 'connect')
  let received = ''
  socket.on('data', (chunk) => (received += chunk.toString()))
  const next = async (): Promise<{ head: string; body: string }> => {
    for (;;) {
      const headEnd = received.indexOf('\r\n\r\n')
      const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? Infinity)
      if (headEnd >= 0 && received.length >= headEnd + 4 + length) {
        const answer = { head: received.slice(0, headEnd), body: received.slice(headEnd + 4, headEnd + 4 + length) }
        received = received.slice(headEnd + 4 + length)
        return answer
      }
      await once(socket, 'data')
    }
  }
  return { socket, next }
}

function requestText(path: string, body: unknown): string {
  const json = JSON.stringify(body)
  return `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${json.length}\r\n\r\n${json}`
}

test('refusals are the same with and without the framework', async (t) => {
  const { post } = await testServer(t)
  const bodies: readonly [path: string, body: unknown][] = [
    ['create', '{"id":'],
    ['create', ''],
    ['create', '[]'],
    ['create', { ...TIMER, misspelled: 1 }],
    ['create', { ...TIMER, executeAt: 'soon' }],
    ['create', { ...TIMER, callbackUrl: 'nowhere' }],
    ['create', { ...TIMER, payload: 'x'.repeat(300_000) }],
    ['create', { ...TIMER, payload: 'x'.repeat(600_000) }],
    ['create', `{"__proto__":1}`],
    ['batch', {}],
    ['batch', { timers: [] }],
  ]
  for (const [verb, body] of bodies) {
    const [direct, framework] = [
      await post(`/api/v1/timers/${verb}`, body),
      await post(`/api/v1/timers/${verb}`, body, FRAMEWORK),
    ]
    assert.ok(direct.status >= 400, direct.text)
    assert.deepEqual(
      [direct.status, direct.text, new Set(direct.headers.keys())],
      [framework.status, framework.text, new Set(framework.headers.keys())],
    )
  }
})

test('a create that fails when it is carried out fails as ever, and its connection serves the next one', async (t) => {
  const { url } = await testServer(t)
  const { socket, next } = await rawConnection(t, url)
  const create = requestText('/api/v1/timers/create', { ...TIMER, id: 'a', onConflict: 'reject' })
  socket.write(create)
  assert.match((await next()).head, /^HTTP\/1\.1 200 /)
  socket.write(create)
  const refused = await next()
  assert.match(refused.head, /^HTTP\/1\.1 409 /)
  assert.doesNotMatch(refused.head, /connection: close/i)
  assert.equal((JSON.parse(refused.body) as { error: string }).error, 'TIMER_ALREADY_EXISTS')
  socket.write(requestText('/api/v1/timers/create', { ...TIMER, id: 'b' }))
  assert.match((await next()).head, /^HTTP\/1\.1 200 /)
})

test('answers are the same with and without the framework', async (t) => {
  const { post } = await testServer(t)
  for (const [verb, body] of [
    ['create', { ...TIMER, id: 'a', onConflict: 'keep' }],
    ['batch', { timers: [{ ...TIMER, id: 'b' }, { id: 'c' }], onConflict: 'keep' }],
  ] as const) {
    const [direct, framework] = [
      await post(`/api/v1/timers/${verb}`, body),
      await post(`/api/v1/timers/${verb}`, body, FRAMEWORK),
    ]
    assert.equal(direct.status, 200)
    assert.deepEqual(
      [direct.text, { ...Object.fromEntries(direct.headers), date: '' }],
      [framework.text, { ...Object.fromEntries(framework.headers), date: '' }],
    )
  }
})

test('requests in one packet are answered in order, and a body may come in pieces', async (t) => {
  const { url } = await testServer(t)
  const { socket, next } = await rawConnection(t, url)
  const [one, two, three] = ['one', 'two', 'three'].map((id) =>
    requestText('/api/v1/timers/create', { ...TIMER, id }),
  ) as [string, string, string]
  socket.write(one + two)
  for (const id of ['one', 'two']) assert.equal((JSON.parse((await next()).body) as { id: string }).id, id)
  for (const piece of three.match(/[^]{1,40}/g)!) {
    socket.write(piece)
    await new Promise(setImmediate)
  }
  assert.equal((JSON.parse((await next()).body) as { id: string }).id, 'three')
})

test('a client that goes away in the middle of its body creates nothing, and the next one is served', async (t) => {
  const { url, post } = await testServer(t)
  const { socket } = await rawConnection(t, url)
  socket.write(requestText('/api/v1/timers/create', { ...TIMER, id: 'half' }).slice(0, -20))
  socket.end()
  await once(socket, 'close')
  assert.equal((await post('/api/v1/timers/create', { ...TIMER, id: 'whole' })).status, 200)
  assert.equal((await post('/api/v1/timers/get', { timerId: 'half' })).status, 404)
})
