// The HTTP target on threads of its own is held to what every target is held to. test/threads.test.ts has real threads.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import type { ServerResponse } from 'node:http'
import { DELIVERIES } from '../../http/contracts/all-deliveries.ts'
import { v1Delivery } from '../../http/contracts/v1/delivery.ts'
import { ManualClock } from '../../runtime/clock/manual-clock.ts'
import { loadConfig } from '../../runtime/config/config.ts'
import { silentLogger } from '../../runtime/telemetry/logger.ts'
import { targetConformance } from '../../targets/conformance.ts'
import { buildHttpTarget } from '../../targets/http/from-config.ts'
import { aFiring, aReceiver, NOT_ABORTED } from '../../targets/http/delivery.fixture.ts'
import { inProcess } from '../in-process.fixture.ts'
import { openDelivery } from './delivery.ts'
import type { DeliveryData } from './messages.ts'
import { ThreadedTarget } from './threaded-target.ts'

const NEXT_AT = '2030-01-31T09:00:00Z'

targetConformance('threaded http', {
  accepts: (t) => conforming(t, (response) => response.writeHead(204).end()),
  fails: (t) => conforming(t, (response) => response.writeHead(500).end()),
  refuses: (t) => conforming(t, (response) => response.writeHead(410).end()),
  reschedules: (t) => conforming(t, (response) => response.end(JSON.stringify({ ok: false, nextExecuteAt: NEXT_AT }))),
  silent: (t) => conforming(t, () => {}),
})

async function conforming(t: TestContext, answer: (response: ServerResponse) => void) {
  const arrived = Promise.withResolvers<void>()
  const receiver = await aReceiver(t, (response) => {
    arrived.resolve()
    answer(response)
  })
  const { adapter, clock } = unstarted(t, 1)
  await adapter.start()
  return { adapter, clock, firing: aFiring(receiver.url, { protocol: v1Delivery.name }), arrived: arrived.promise }
}

function unstarted(t: TestContext, count: number, env: Readonly<Record<string, string>> = {}) {
  const clock = new ManualClock()
  const config = loadConfig({ env })
  const here = buildHttpTarget({ config, clock }, DELIVERIES)
  const startThread = inProcess((data: DeliveryData, port) => openDelivery(data, port, clock))
  const adapter = new ThreadedTarget({ count, config, clock, logger: silentLogger(), here, startThread })
  t.after(() => adapter.close())
  return { adapter, clock }
}

async function threaded(t: TestContext, count: number, env: Readonly<Record<string, string>> = {}) {
  const { adapter } = unstarted(t, count, env)
  await adapter.start()
  return adapter
}

test('an address that is not allowed is refused by the threads, too', async (t) => {
  const receiver = await aReceiver(t, (response) => response.end())
  const adapter = await threaded(t, 1, { CALLBACK_DENY: 'loopback' })
  const outcome = await adapter.deliver(aFiring(receiver.url, { protocol: v1Delivery.name }), NOT_ABORTED)
  assert.match(outcome.type === 'failed' ? outcome.error : '', /denied by 'loopback'/)
  assert.equal(receiver.requests.length, 0)
})

test('attempts are spread over the threads while more of them are under way, and each has its answer', async (t) => {
  const waiting: ServerResponse[] = []
  const receiver = await aReceiver(t, (response) => {
    waiting.push(response)
    if (waiting.length === 4) for (const one of waiting) one.end()
  })
  const adapter = await threaded(t, 2)
  const firings = ['a', 'b', 'c', 'd'].map((name) =>
    aFiring(`${receiver.url}/${name}`, { protocol: v1Delivery.name }, { deliveryId: name }),
  )
  const outcomes = await Promise.all(firings.map((firing) => adapter.deliver(firing, NOT_ABORTED)))
  assert.deepEqual(
    outcomes.map(({ type }) => type),
    Array.from({ length: 4 }, () => 'delivered'),
  )
  assert.deepEqual(receiver.requests.map(({ url }) => url.slice(-1)).toSorted(), ['a', 'b', 'c', 'd'])
})

test('before its threads work, attempts are made without them', async (t) => {
  const receiver = await aReceiver(t, (response) => response.end())
  const { adapter } = unstarted(t, 1)
  const outcome = await adapter.deliver(aFiring(receiver.url, { protocol: v1Delivery.name }), NOT_ABORTED)
  assert.equal(outcome.type, 'delivered')
  assert.throws(() => adapter.check(), /1 of 1 threads/)
})
