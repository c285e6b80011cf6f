// A polite stop: what is under way gets its time to finish, what does not make it is delivered again after the next
// start under the same delivery id, and whoever asks for something meanwhile is told the truth.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { cleanUp } from './support/cleanup.ts'
import { accepted, Client } from './support/client.ts'
import type { Answer, TimerJson } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { OK, startReceiver } from './support/receiver.ts'
import type { Reply } from './support/receiver.ts'
import { startService } from './support/service.ts'
import type { Service } from './support/service.ts'
import { tempDir } from './support/temp-dir.ts'

const STOPPING = /^stopping/

/** A receiver that answers each timer only when the test says so; after `answerAll` it answers at once. */
async function startHoldingReceiver(t: TestContext) {
  const waiting = new Map<string, (reply: Reply) => void>()
  let holds = true
  const receiver = await startReceiver(t, ({ timerId }) => {
    if (!holds) return OK
    return new Promise((resolve) => waiting.set(timerId, resolve))
  })
  const answer = (timerId: string) => waiting.get(timerId)!(OK)
  const answerAll = () => {
    holds = false
    for (const resolve of waiting.values()) resolve(OK)
  }
  return { receiver, answer, answerAll }
}

test('a second signal ends it at once, and what was in flight is delivered again', async (t) => {
  const cwd = tempDir(t)
  const { receiver, answerAll } = await startHoldingReceiver(t)
  const service = await startService(t, { cwd, env: { SHUTDOWN_GRACE: '10m' } })
  await accepted(new Client(() => service).create({ id: 'held', schedule: 'PT1S', callbackUrl: receiver.url }))
  const first = await receiver.received('held')

  service.signal('SIGTERM')
  await service.logged(STOPPING)
  service.signal('SIGINT')
  assert.deepEqual(await service.exited, { code: 1, signal: null })

  answerAll()
  await startService(t, { cwd })
  const second = await receiver.received('held', 2)
  assert.equal(second.deliveryId, first.deliveryId)
})

test('deliveries that finish in time are settled; the others start again under the same id', async (t) => {
  const cwd = tempDir(t)
  const { receiver, answer, answerAll } = await startHoldingReceiver(t)
  const service = await startService(t, { cwd, env: { SHUTDOWN_GRACE: '2s' } })
  const client = new Client(() => service)
  for (const id of ['in-time', 'too-slow'])
    await accepted(client.create({ id, schedule: 'PT1S', callbackUrl: receiver.url }))
  const [, tooSlow] = await Promise.all([receiver.received('in-time'), receiver.received('too-slow')])

  service.signal('SIGTERM')
  await service.logged(STOPPING)
  answer('in-time')
  assert.deepEqual(await service.exited, { code: 0, signal: null })

  answerAll()
  const restarted = await startService(t, { cwd })
  const again = await receiver.received('too-slow', 2)
  assert.equal(again.deliveryId, tooSlow.deliveryId)
  assert.equal(again.attempt, tooSlow.attempt)
  const afterwards = new Client(() => restarted)
  assert.equal((await accepted(afterwards.get({ timerId: 'in-time' }))).status, 'completed')
  await eventually(
    'too-slow completes',
    async () => (await accepted(afterwards.get({ timerId: 'too-slow' }))).status === 'completed',
  )
  assert.equal(receiver.of('in-time').length, 1)
  assert.equal(receiver.of('too-slow').length, 2)
})

test('while it stops, requests are answered truthfully: stored, or refused, and then nobody is there', async (t) => {
  const cwd = tempDir(t)
  const { receiver } = await startHoldingReceiver(t)
  const service = await startService(t, { cwd, env: { SHUTDOWN_GRACE: '2s' } })
  const client = new Client(() => service)
  await accepted(client.create({ id: 'held', schedule: 'PT1S', callbackUrl: receiver.url }))
  await receiver.received('held')

  const answers = new Map<string, Answer<TimerJson>>()
  const workers = Array.from({ length: 4 }, (_, n) => createUntilNobodyAnswers(client, `w${n}`, answers))
  await eventually('requests are being answered', () => answers.size > 20)
  service.signal('SIGTERM')
  await Promise.all(workers)
  assert.ok(service.isAlive, 'the server closes before the deliveries are given up')
  assert.equal((await service.exited).code, 0)

  const restarted = await startService(t, { cwd })
  for (const [timerId, answer] of answers) {
    if (answer.type === 'refused') assert.deepEqual([answer.status, answer.headers.get('retry-after')], [503, '1'])
    if (answer.type === 'ok') await accepted(new Client(() => restarted).get({ timerId }))
  }
})

/** Records what each create was answered, until no connection can be made any more. */
async function createUntilNobodyAnswers(
  client: Client,
  name: string,
  answers: Map<string, Answer<TimerJson>>,
): Promise<void> {
  for (let n = 0; ; n++) {
    const answer = await client.create({ id: `${name}-${n}`, schedule: 'PT1H', callbackUrl: 'http://127.0.0.1:9/' })
    if (answer.type === 'notSent') return
    answers.set(`${name}-${n}`, answer)
  }
}

test('a request that is half sent when the stop begins is answered', async (t) => {
  const service = await startService(t, { cwd: tempDir(t) })
  const { socket, sendRest } = await sendHalf(t, service)
  service.signal('SIGTERM')
  await service.logged(STOPPING)
  sendRest()
  const [answer] = (await once(socket, 'data')) as [string]
  assert.match(answer, /^HTTP\/1\.1 (200|503) /)
  assert.deepEqual(await service.exited, { code: 0, signal: null })
})

test('a client that never finishes its request does not keep the service from stopping', async (t) => {
  const service = await startService(t, { cwd: tempDir(t), env: { SHUTDOWN_GRACE: '1s', REQUEST_TIMEOUT: '10m' } })
  await sendHalf(t, service)
  service.signal('SIGTERM')
  await eventually('the process is gone', () => !service.isAlive, { withinMs: 60_000 })
  assert.deepEqual(await service.exited, { code: 0, signal: null })
})

/** A create of which the service has read the headers and the first half of the body. */
async function sendHalf(t: TestContext, service: Service): Promise<{ socket: Socket; sendRest: () => void }> {
  const body = JSON.stringify({ id: 'half', schedule: 'PT1H', callbackUrl: 'http://127.0.0.1:9/' })
  const { hostname, port } = new URL(service.url)
  const socket = connect({ host: hostname, port: Number(port) }).setEncoding('utf8')
  socket.on('error', () => {}) // being cut off is one of the endings under test
  cleanUp(t, () => socket.destroy())
  const head = [
    'POST /api/v1/timers/create HTTP/1.1',
    'Host: test',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ]
  // The service says `100 Continue` once it has read the headers: from then on it knows of the request.
  socket.write([...head, 'Expect: 100-continue', '', ''].join('\r\n'))
  const [interim] = (await once(socket, 'data')) as [string]
  assert.match(interim, /^HTTP\/1\.1 100 /)
  socket.write(body.slice(0, 20))
  return { socket, sendRest: () => void socket.write(body.slice(20)) }
}
