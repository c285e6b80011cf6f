// Where callbacks go when timers fire, in every contract, down to the socket. No packet leaves the loopback interface even
// if the guard failed: everything that fires goes to listeners of the test, by addresses of 127.0.0.0/8 or by a connector
// that leads there. What is refused already at create is in egress-at-create.test.ts.

import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { buildConnector } from 'undici'
import { CONTRACTS } from '../src/http/contracts/all-contracts.ts'
import { DELIVERIES } from '../src/http/contracts/all-deliveries.ts'
import { DIALECTS, NAMES, succeeded } from '../src/http/dialects.fixture.ts'
import type { Ask, Key, Name } from '../src/http/dialects.fixture.ts'
import { testServer } from '../src/http/test-server.fixture.ts'
import { aTarget } from '../src/targets/http/delivery.fixture.ts'
import { createEgressPolicy } from '../src/targets/http/egress/egress.ts'
import { asking, newKey, wishFor } from './support/callback-requests.ts'
import { countingListener } from './support/counting-listener.ts'
import { eventually } from './support/eventually.ts'
import { startService } from './support/service.ts'
import { tempDir } from './support/temp-dir.ts'

test('a name that turns to a forbidden address after the create is not connected to, and the timer says why', async (t) => {
  const inside = ['10.0.0.7', '127.0.0.1', '169.254.169.254', '::ffff:10.0.0.7', '64:ff9b::a9fe:a9fe']
  for (const name of NAMES) {
    const world = await rebindingWorld(t)
    await world.fire(name, ['93.184.216.34'])
    assert.deepEqual(world.dialled, ['93.184.216.34'], 'the public address is called')
    for (const address of inside) {
      const key = await world.fire(name, [address])
      const { text } = succeeded(await DIALECTS[name].read(world.ask, key))
      const reason = /not allowed: rebinding\.example has no allowed address: \S+ is a (private|loopback|metadata)/
      assert.match(text, reason, `${name} ${address}`)
    }
    assert.deepEqual(world.dialled, ['93.184.216.34'])
  }
})

const onLinux = { skip: process.platform === 'linux' ? false : 'needs all of 127.0.0.0/8' }

test('a redirect is not followed', onLinux, async (t) => {
  const destination = await countingListener(t, '127.0.0.2', (response) => response.end('{"ok":true}'))
  const redirecting = await countingListener(t, '127.0.0.1', (response) => {
    response.writeHead(Number(response.req.url!.slice(1)), { location: `${destination.url}/inside` }).end()
  })
  const ask = asking(await startService(t, { cwd: tempDir(t) }))
  for (const name of NAMES) {
    for (const code of [301, 302, 303, 307, 308]) {
      const key = await DIALECTS[name].make(ask, newKey(), wishFor(`${redirecting.url}/${code}`))
      assert.match(await firstFailure(ask, key), new RegExp(`^HTTP ${code}`))
    }
  }
  assert.equal(redirecting.requests(), NAMES.length * 5)
  assert.equal(destination.connections(), 0)
})

test(
  'a network that is denied later is not connected to any more, for timers that are stored already',
  onLinux,
  async (t) => {
    const forbidden = await countingListener(t, '127.9.9.9', (response) => response.end('{"ok":true}'))
    const neighbour = await countingListener(t, '127.9.8.8', (response) => response.end('{"ok":true}'))
    const cwd = tempDir(t)
    const before = await startService(t, { cwd })
    const stored: { name: Name; key: Key }[] = []
    const { port } = new URL(forbidden.url)
    for (const name of NAMES) {
      for (const host of [
        '127.9.9.9',
        '127.592137',
        '2131298569',
        '0x7f.9.9.9',
        '0177.011.011.011',
        '[::ffff:127.9.9.9]',
      ]) {
        stored.push({
          name,
          key: await DIALECTS[name].make(asking(before), newKey(), wishFor(`http://${host}:${port}/`)),
        })
      }
    }
    await before.stop()

    const ask = asking(await startService(t, { cwd, env: { CALLBACK_DENY: '127.9.9.0/24' } }))
    for (const { name, key } of stored) {
      assert.equal(await firstFailure(ask, key), "not allowed: 127.9.9.9 is denied by '127.9.9.0/24' in CALLBACK_DENY")
      assert.match(
        succeeded(await DIALECTS[name].read(ask, key)).text,
        /127\.9\.9\.9 is denied by '127\.9\.9\.0\/24'/,
        name,
      )
    }
    const allowed = await DIALECTS.v1.make(ask, newKey(), wishFor(neighbour.url))
    await trigger(ask, allowed)
    await eventually('the neighbour is called', () => neighbour.requests() === 1)
    assert.equal(forbidden.connections(), 0)
  },
)

async function trigger(ask: Ask, { namespace, id }: Key): Promise<void> {
  succeeded(await ask('POST', '/api/v1/timers/trigger', { namespace, timerId: id }))
}

/** Fires the timer, and tells what its first attempt failed with. */
async function firstFailure(ask: Ask, key: Key): Promise<string> {
  await trigger(ask, key)
  return eventually(`the first attempt of ${key.id} is over`, async () => {
    const { json } = await ask('POST', '/api/v1/timers/get', { namespace: key.namespace, timerId: key.id })
    return json['lastError'] as string | undefined
  })
}

/** The whole service with a resolver that says what the test wants, and a connector that leads every address to one listener. */
async function rebindingWorld(t: TestContext) {
  const receiver = await countingListener(t, '127.0.0.1', (response) =>
    response.writeHead(200, { connection: 'close' }).end(),
  )
  const progress = new EventEmitter()
  const dialled: string[] = []
  let addresses: readonly string[] = []
  const dial = buildConnector({})
  const { clock, request } = await testServer(t, {
    contracts: CONTRACTS,
    onSettled: () => progress.emit('settled'),
    target: (itsClock) =>
      aTarget(t, {
        clock: itsClock,
        protocols: DELIVERIES,
        egress: createEgressPolicy({ allow: [], deny: [], loopbackAllowed: false, privateAllowed: false }),
        resolve: () => Promise.resolve(addresses),
        connect: (options, callback) => {
          dialled.push(options.hostname)
          dial({ ...options, hostname: '127.0.0.1', port: new URL(receiver.url).port }, callback)
        },
      }),
  })
  const ask: Ask = (method, path, body) =>
    request(path, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
  /** Makes a timer, then the name gets these addresses, then it fires. */
  const fire = async (name: Name, resolved: readonly string[]): Promise<Key> => {
    const dueAt = new Date(clock.now() + 10_000).toISOString()
    const key = await DIALECTS[name].make(ask, newKey(), { ...wishFor('http://rebinding.example:8080/hook'), dueAt })
    addresses = resolved
    const settled = once(progress, 'settled', { signal: AbortSignal.timeout(10_000) })
    await clock.advance(10_000)
    await settled
    return key
  }
  return { ask, dialled, fire }
}
