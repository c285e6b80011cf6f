// The recipes of docs/guides/recipes.md, each run as it is written there, on a server whose clock the test moves.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { Duetime } from '@duetime/client'
import { deadManSwitch } from '../examples/recipes/dead-man-switch.ts'
import { reindexer } from '../examples/recipes/debounce.ts'
import { paymentTimeout } from '../examples/recipes/payment-timeout.ts'
import { reminders } from '../examples/recipes/reminder-series.ts'
import { sessions } from '../examples/recipes/session-expiry.ts'
import { slaDeadlines } from '../examples/recipes/sla-deadline.ts'
import { cleanUp } from './support/cleanup.ts'
import { startDev } from './support/dev-server.ts'

type Endpoint = (request: Request) => Promise<Response>

async function setup(t: TestContext) {
  const { url, post } = await startDev(t)
  let endpoint: Endpoint = async () => new Response(null, { status: 500 })
  const server = createServer((request, response) => {
    void (async () => {
      const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
      const answer = await endpoint(
        new Request('http://receiver/', { method: 'POST', headers, body: new Uint8Array(await buffer(request)) }),
      )
      response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
    })()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanUp(t, () => {
    server.closeAllConnections()
    server.close()
  })
  return {
    client: new Duetime({ url }),
    callbackUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    answerWith: (handler: unknown) => void (endpoint = handler as Endpoint),
    advance: (by: string) => post('/dev/clock/advance', { by }),
    now: async () => new Date(((await (await fetch(`${url}/dev/clock`)).json()) as { now: string }).now),
  }
}

test('payment timeout: an order that is not paid in time is canceled, one that is paid is not, and too late is known', async (t) => {
  const { client, callbackUrl, answerWith, advance } = await setup(t)
  const canceled: string[] = []
  const shop = { isPaid: async () => false, cancelOrder: async (orderId: string) => void canceled.push(orderId) }
  const { orderPlaced, orderPaid, timeIsUp } = paymentTimeout(client, shop, callbackUrl)
  answerWith(timeIsUp)
  await orderPlaced('paid')
  await orderPlaced('forgotten')
  await advance('29m')
  assert.equal(await orderPaid('paid'), true)
  assert.deepEqual(canceled, [])
  await advance('1m')
  assert.deepEqual(canceled, ['forgotten'])
  assert.equal(await orderPaid('forgotten'), false)
})

test('reminder series: one timer comes back on the days that its answers name, until the invoice is paid', async (t) => {
  const { client, callbackUrl, answerWith, advance, now } = await setup(t)
  const sent: string[] = []
  const { invoiceSent, invoicePaid, remind } = reminders(
    client,
    async (customer, nth) => void sent.push(`${customer} ${nth}`),
    callbackUrl,
  )
  answerWith(remind)
  await invoiceSent('invoice-1', 'Ada', await now())
  await invoiceSent('invoice-2', 'Grace', await now())
  await advance('4d')
  assert.deepEqual(sent.toSorted(), ['Ada 1', 'Ada 2', 'Grace 1', 'Grace 2'])
  await invoicePaid('invoice-2')
  await advance('30d')
  assert.deepEqual(sent.slice(4), ['Ada 3', 'Ada 4'])
  assert.equal((await client.get({ id: 'invoice-1', namespace: 'reminders' })).status, 'completed')
})

test('session expiry: every request pushes the end back', async (t) => {
  const { client, callbackUrl, answerWith, advance } = await setup(t)
  const ended: string[] = []
  const { touched, signedOut, expired } = sessions(client, async (sessionId) => void ended.push(sessionId), callbackUrl)
  answerWith(expired)
  await touched('busy')
  await touched('idle')
  await touched('gone')
  await advance('15m')
  await touched('busy')
  await signedOut('gone')
  await advance('10m')
  assert.deepEqual(ended, ['idle'])
  await advance('10m')
  assert.deepEqual(ended, ['idle', 'busy'])
})

test('SLA deadline: a warning and a breach, gone together, and held while the customer is asked', async (t) => {
  const { client, callbackUrl, answerWith, advance } = await setup(t)
  const escalated: string[] = []
  const sla = slaDeadlines(client, async (ticket, kind) => void escalated.push(`${ticket} ${kind}`), callbackUrl)
  answerWith(sla.due)
  await sla.opened('solved')
  await sla.opened('slow')
  await sla.opened('asked')
  await advance('2h')
  assert.equal((await sla.solved('solved')).canceled, 2)
  await advance('1h')
  assert.deepEqual(escalated.toSorted(), ['asked warning', 'slow warning'])
  await sla.waitingForCustomer('asked')
  await advance('24h')
  assert.deepEqual(escalated.slice(2), ['slow breach'])
  await sla.customerAnswered('asked')
  await advance('2h')
  assert.deepEqual(escalated.slice(3), ['asked breach'])
})

test('debounce: many changes make one call, after the last', async (t) => {
  const { client, callbackUrl, answerWith, advance } = await setup(t)
  const done: string[] = []
  const { saved, quiet } = reindexer(client, async (document) => void done.push(document), callbackUrl)
  answerWith(quiet)
  for (let change = 0; change < 5; change++) {
    await saved('report')
    await advance('3s')
  }
  assert.deepEqual(done, [])
  await advance('2s')
  assert.deepEqual(done, ['report'])
})

test('dead-man switch: silence raises the alarm, hourly, until the job is back', async (t) => {
  const { client, callbackUrl, answerWith, advance } = await setup(t)
  const alarms: string[] = []
  const { alive, retired, silent } = deadManSwitch(client, async (job) => void alarms.push(job), callbackUrl)
  answerWith(silent)
  for (let day = 0; day < 3; day++) {
    await alive('backup')
    await advance('24h')
  }
  assert.deepEqual(alarms, [])
  await advance('3h')
  assert.equal(alarms.length, 3)
  await alive('backup')
  await advance('24h')
  await retired('backup')
  await advance('48h')
  assert.equal(alarms.length, 3)
})
