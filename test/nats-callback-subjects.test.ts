// Where timers may publish: a callback goes out with the service's own rights at the broker, so no key may aim it at what
// the service itself listens to or speaks on. The real service, a real server, keys that are bound to a namespace.

import assert from 'node:assert/strict'
import { randomUUIDv7 } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { createKey, hashKey } from '../src/service/keys/api-key.ts'
import { Client, accepted } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { natsClient } from './support/nats-client.ts'
import { needsNats, startNatsServer } from './support/nats-server.ts'
import { startService } from './support/service.ts'
import type { Environment, Service } from './support/service.ts'
import { tempDir } from './support/temp-dir.ts'

const [ADMIN, ACME, ORDERS] = [createKey(), createKey(), createKey()]
const FAR = '2100-01-01T00:00:00Z'
/** What an attacker would have published: a timer in a namespace that is not its own. */
const COMMAND = {
  id: randomUUIDv7(),
  type: 'ScheduleTimer',
  tenantId: 'victim',
  timestampMs: 0,
  payload: { tenantId: 'victim', serviceCallId: 'forged', dueAt: FAR },
}

type Callback = { readonly topic: string; readonly key?: string }

const OWN_SUBJECTS: readonly Callback[] = [
  { topic: 'timer.commands' },
  { topic: 'timer', key: 'commands' },
  { topic: 'timer.events' },
  { topic: 'timer', key: 'dlq' },
  { topic: 'duetime.v1.timers.create' },
  { topic: 'duetime.v1', key: 'timers.delete' },
  { topic: 'duetime.events.victim.fired' },
  { topic: 'duetime', key: 'events.victim.created' },
  { topic: '_INBOX', key: 'a' },
  { topic: '$KV', key: 'a.b' },
]

function keysFile(cwd: string): string {
  const entry = (name: string, key: string, more: object) => ({
    name,
    hash: hashKey(key),
    permissions: ['timer'],
    ...more,
  })
  const entries = [
    entry('admin', ADMIN, { permissions: ['admin'], namespaces: ['*'] }),
    entry('acme', ACME, { namespaces: ['acme', 'acme.*'] }),
    entry('orders', ORDERS, { namespaces: ['acme'], natsSubjects: ['orders.>', 'audit'] }),
  ]
  writeFileSync(join(cwd, 'keys.json'), JSON.stringify(entries))
  return 'keys.json'
}

async function setup(t: TestContext) {
  const server = await startNatsServer(t)
  const cwd = tempDir(t)
  const keys = keysFile(cwd)
  let service: Service
  const start = async (env: Environment = {}) => {
    service = await startService(t, { cwd, env: { NATS_URL: server.url, KEYS_FILE: keys, HOST: '127.0.0.1', ...env } })
    await eventually(
      'ready',
      async () => ((await (await fetch(`${service.url}/readyz`)).json()) as { status: string }).status === 'ready',
    )
  }
  const as = (key: string) => new Client(() => service, { 'x-api-key': key })
  const post = async (key: string, path: string, body: object) => {
    const headers = { 'content-type': 'application/json', 'x-api-key': key }
    const response = await fetch(`${service.url}/api/v1/${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    return { status: response.status, text: await response.text() }
  }
  /** The statuses of a create, an update and a test with this callback, and what the create answered. */
  const tried = async (key: string, callback: Callback, namespace = 'acme') => {
    const nats = { type: 'nats', ...callback }
    await accepted(as(ADMIN).create({ namespace, id: 'plain', executeAt: FAR, callbackUrl: 'http://127.0.0.1:1/' }))
    const created = await post(key, 'timers/create', { namespace, id: 'new', executeAt: FAR, callback: nats })
    const updated = await post(key, 'timers/update', { namespace, timerId: 'plain', callback: nats })
    const tested = await post(key, 'callbacks/test', { namespace, callback: nats, payload: COMMAND })
    return { statuses: [created.status, updated.status, tested.status], why: created.text }
  }
  const fired = async (timerId: string, namespace = 'acme') => {
    assert.equal((await post(ADMIN, 'timers/trigger', { namespace, timerId })).status, 200)
    return eventually(`${timerId} has ended`, async () => {
      const timer = await accepted(as(ADMIN).get({ namespace, timerId }))
      return ['completed', 'failed'].includes(timer.status) && timer
    })
  }
  const restart = async (env: Environment) => {
    await service.stop()
    await start(env)
  }
  return { start, restart, as, post, tried, fired, nats: await natsClient(t, server) }
}

test(
  'the subjects of the service are refused at create, update and test, in one piece or put together',
  needsNats,
  async (t) => {
    const { start, tried, nats } = await setup(t)
    await start()
    for (const callback of OWN_SUBJECTS) {
      const { statuses, why } = await tried(ACME, callback)
      assert.deepEqual(statuses, [400, 400, 400], `${JSON.stringify(callback)} ${why}`)
    }
    assert.deepEqual((await tried(ACME, { topic: 'orders', key: 'paid' })).statuses, [200, 200, 200])
    for (const stream of ['TIMER_COMMANDS', 'TIMER_EVENTS', 'TIMER_DLQ'])
      assert.equal(await nats.count(stream), 0, stream)
  },
)

test(
  'what was stored before a setting made it wrong fails at its first attempt, and says why',
  needsNats,
  async (t) => {
    const { start, restart, as, fired, nats } = await setup(t)
    await start({ NATS_COMMANDS_SUBJECT: 'former.commands', NATS_COMMANDS_STREAM: 'FORMER' })
    const create = (id: string, topic: string) =>
      accepted(
        as(ACME).create({ namespace: 'acme', id, executeAt: FAR, callback: { type: 'nats', topic }, payload: COMMAND }),
      )
    await create('to-commands', 'timer.commands')
    await create('to-orders', 'orders')
    const scheduled = {
      ...COMMAND,
      tenantId: 'acme',
      payload: { ...COMMAND.payload, tenantId: 'acme', serviceCallId: 'call' },
    }
    await nats.publish('former.commands', scheduled)
    await eventually('taken', async () => (await nats.count('FORMER')) === 0)

    await restart({})
    const forged = await fired('to-commands')
    assert.deepEqual([forged.status, (forged.attempts as unknown[]).length], ['failed', 1])
    assert.match(forged.lastError!, /'timer\.commands' is a subject of the service itself/)
    assert.equal((await as(ADMIN).get({ namespace: 'victim', timerId: 'forged' })).type, 'refused')
    assert.equal(await nats.count('TIMER_COMMANDS'), 0)

    await restart({
      NATS_NAMESPACE_PREFIX: 'tenants',
      NATS_COMMANDS_STREAM: 'BOUND',
      NATS_EVENTS_STREAM: 'BOUND_EVENTS',
    })
    const outside = await fired('to-orders')
    assert.deepEqual([outside.status, (outside.attempts as unknown[]).length], ['failed', 1])
    assert.match(outside.lastError!, /'tenants\.acme\.…' only/)
    // The event of a scheduled call is the service's own: it goes where events go now.
    assert.equal((await fired('call')).status, 'completed')
    assert.deepEqual(
      (await nats.read('BOUND_EVENTS')).map(({ subject }) => subject),
      ['tenants.acme.timer.events'],
    )
  },
)

test('with a prefix a namespace with a dot is one word, and reaches no other namespace', needsNats, async (t) => {
  const { start, tried, as, nats } = await setup(t)
  await start({ NATS_NAMESPACE_PREFIX: 'tenants' })
  for (const topic of ['tenants.acme.timer.commands', 'tenants.acme.timer.x', 'tenants.acme%2Etimer.timer.commands']) {
    assert.deepEqual((await tried(ACME, { topic }, 'acme.timer')).statuses, [400, 400, 400], topic)
  }
  assert.deepEqual((await tried(ACME, { topic: 'tenants.acme%2Etimer.x' }, 'acme.timer')).statuses, [200, 200, 200])
  const dotted = { ...COMMAND, tenantId: 'acme.timer', payload: { ...COMMAND.payload, tenantId: 'acme.timer' } }
  await nats.publish('tenants.acme%2Etimer.timer.commands', dotted)
  await eventually(
    'stored',
    async () => (await as(ADMIN).get({ namespace: 'acme.timer', timerId: 'forged' })).type === 'ok',
  )
  assert.equal((await nats.request('tenants.a%2eb.duetime.v1.timers.get', { timerId: 'forged' })).code, '400')
})

test('subjects can be limited for the service and for a key', needsNats, async (t) => {
  const { start, restart, tried, as, fired } = await setup(t)
  await start()
  assert.deepEqual((await tried(ORDERS, { topic: 'orders', key: 'paid' })).statuses, [200, 200, 200])
  const refused = await tried(ORDERS, { topic: 'billing' })
  assert.deepEqual(refused.statuses, [403, 403, 403])
  assert.match(refused.why, /the key 'orders' may not publish on 'billing'/)
  const callback = { type: 'nats', topic: 'billing' }
  await accepted(as(ACME).create({ namespace: 'acme', id: 'bill', executeAt: FAR, callback }))

  await restart({ NATS_CALLBACK_ALLOW: 'orders.>, *.audit' })
  assert.deepEqual((await tried(ACME, { topic: 'shop.audit' })).statuses, [200, 200, 200])
  const { statuses, why } = await tried(ACME, callback)
  assert.deepEqual(statuses, [400, 400, 400])
  assert.match(why, /NATS_CALLBACK_ALLOW/)
  assert.match((await fired('bill')).lastError!, /NATS_CALLBACK_ALLOW/)
})
