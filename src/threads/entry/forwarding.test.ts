// Requests that entry threads send on to the main thread are answered as if there were no threads.

import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { testServer } from '../../http/test-server.fixture.ts'

/** Sends exactly this; resolves with all that comes until the connection is closed. */
async function setup(t: TestContext) {
  const { url } = await testServer(t, { httpThreads: 1 })
  return (request: string): Promise<string> => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    t.after(() => socket.destroy())
    socket.write(request)
    return text(socket)
  }
}

test('HTTP/1.0 does without a host, as health checks of proxies do', async (t) => {
  const ask = await setup(t)
  assert.match(await ask('GET /healthz HTTP/1.0\r\n\r\n'), /^HTTP\/1\.1 200 /)
})

test('who announces trailers gets an answer, with and without any', { timeout: 10_000 }, async (t) => {
  const ask = await setup(t)
  const head = 'host: localhost\r\nconnection: close\r\nte: trailers\r\ntrailer: x-sum\r\n'
  assert.match(await ask(`GET /healthz HTTP/1.1\r\n${head}\r\n`), /^HTTP\/1\.1 200 /)
  const list = `POST /api/v1/timers/list HTTP/1.1\r\n${head}content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`
  assert.match(await ask(`${list}2\r\n{}\r\n0\r\nx-sum: 1\r\n\r\n`), /^HTTP\/1\.1 200 /)
})
