import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { buildConnector } from 'undici'
import { ManualClock } from '../../../runtime/clock/manual-clock.ts'
import { createEgressPolicy } from './egress.ts'
import { guardedConnector } from './guarded-connector.ts'
import type { Resolve } from './name-lookups.ts'

type Callback = buildConnector.Callback
type FakeSocket = { readonly address: string; destroyed: boolean; destroy(): void }

/** Connections that never leave this file: every attempt is recorded, and the test says what becomes of it. */
function setup(addresses: readonly string[] | Resolve, settings: { allow?: string[]; deny?: string[] } = {}) {
  const clock = new ManualClock()
  const policy = createEgressPolicy({ allow: [], deny: [], loopbackAllowed: false, privateAllowed: false, ...settings })
  const lookups: string[] = []
  const attempts: { options: buildConnector.Options; callback: Callback }[] = []
  const resolve: Resolve = (hostname) => {
    lookups.push(hostname)
    return typeof addresses === 'function' ? addresses(hostname) : Promise.resolve(addresses)
  }
  const connector = guardedConnector({
    policy,
    clock,
    resolve,
    connect: (options, callback) => void attempts.push({ options, callback }),
  })
  const connect = (hostname: string, protocol = 'http:') =>
    new Promise<FakeSocket>((done, fail) => {
      connector({ hostname, host: `${hostname}:99`, protocol, port: '99' }, (...[error, socket]) =>
        error ? fail(error) : done(socket as unknown as FakeSocket),
      )
    })
  const open = (index: number): FakeSocket => {
    const { options, callback } = attempts[index]!
    const socket: FakeSocket = {
      address: options.hostname,
      destroyed: false,
      destroy() {
        this.destroyed = true
      },
    }
    callback(null, socket as never)
    return socket
  }
  const refuse = (index: number, code = 'ECONNREFUSED') =>
    attempts[index]!.callback(Object.assign(new Error(code), { code }), null)
  return {
    clock,
    connect,
    lookups,
    attempts,
    open,
    refuse,
    dialled: () => attempts.map(({ options }) => options.hostname),
  }
}

test('a name with only forbidden addresses is refused without a connection', async () => {
  const { connect, attempts } = setup(['10.0.0.1', '169.254.169.254', '::1'])
  await assert.rejects(connect('rebound.example'), {
    code: 'EGRESS_REFUSED',
    message: /^rebound\.example has no allowed address: 10\.0\.0\.1 is a private address/,
  })
  assert.equal(attempts.length, 0)
})

test('a denied name is refused without a lookup', async () => {
  const { connect, lookups } = setup(['8.8.8.8'], { deny: ['*.evil.example'] })
  await assert.rejects(connect('a.evil.example'), { code: 'EGRESS_REFUSED' })
  assert.deepEqual(lookups, [])
})

test('a literal address is judged without a lookup', async () => {
  const { connect, lookups, attempts } = setup([])
  for (const literal of ['127.0.0.1', '::1', '[::1]', '::ffff:127.0.0.1', '169.254.169.254']) {
    await assert.rejects(connect(literal), { code: 'EGRESS_REFUSED' })
  }
  assert.deepEqual([lookups.length, attempts.length], [0, 0])
})

test('a spelling of an address that only the resolver understands is judged by what it resolves to', async () => {
  const { connect, attempts } = setup(['127.0.0.1'])
  await assert.rejects(connect('2130706433'), { code: 'EGRESS_REFUSED' })
  assert.equal(attempts.length, 0)
})

test('a failed lookup and an empty one are errors of the name', async () => {
  const failing = setup(() => Promise.reject(Object.assign(new Error('EAI_AGAIN'), { code: 'EAI_AGAIN' })))
  await assert.rejects(failing.connect('a.example'), { code: 'EAI_AGAIN' })
  await assert.rejects(setup([]).connect('a.example'), { code: 'ENOTFOUND', hostname: 'a.example' })
})

test('the connection goes to the address that was judged, though the name would resolve to another by now', async () => {
  let answers = 0
  const { connect, clock, open, attempts, lookups } = setup(() =>
    Promise.resolve([answers++ === 0 ? '8.8.8.8' : '127.0.0.1']),
  )
  const connected = connect('rebinding.example', 'https:')
  await clock.advance(0)
  open(0)
  assert.equal((await connected).address, '8.8.8.8')
  assert.equal(lookups.length, 1)
  const { hostname, servername, host, port } = attempts[0]!.options
  assert.deepEqual([hostname, servername, host, port], ['8.8.8.8', 'rebinding.example', 'rebinding.example:99', '99'])
  await assert.rejects(connect('rebinding.example', 'https:'), { code: 'EGRESS_REFUSED' })
})

test('forbidden addresses among allowed ones are left out', async () => {
  const { connect, clock, refuse, dialled } = setup(['10.0.0.1', '8.8.8.8', '::1', '2606:4700::1'])
  const connected = assert.rejects(connect('mixed.example'), { code: 'ECONNREFUSED' })
  await clock.advance(0)
  refuse(0)
  refuse(1)
  await connected
  assert.deepEqual(dialled(), ['8.8.8.8', '2606:4700::1'])
})

test('a silent address is given a moment before the next one is tried beside it; the first to answer wins', async () => {
  const { connect, clock, open, dialled } = setup(['2606:4700::1', '8.8.8.8'])
  const connected = connect('dual.example')
  await clock.advance(249)
  assert.deepEqual(dialled(), ['2606:4700::1'])
  await clock.advance(1)
  assert.deepEqual(dialled(), ['2606:4700::1', '8.8.8.8'])
  open(1)
  assert.equal((await connected).address, '8.8.8.8')
  assert.ok(open(0).destroyed, 'the loser is closed')
  assert.equal(clock.waiting, 0)
})

test('an address that fails makes way for the next at once', async () => {
  const { connect, clock, open, refuse } = setup(['8.8.8.8', '8.8.4.4'])
  const connected = connect('two.example')
  await clock.advance(0)
  refuse(0)
  open(1)
  assert.equal((await connected).address, '8.8.4.4')
  assert.equal(clock.waiting, 0)
})

test('connections opened together share one lookup', async () => {
  const { connect, clock, open, lookups } = setup(['8.8.8.8'])
  const connected = Promise.all([connect('a.example'), connect('a.example'), connect('b.example')])
  await clock.advance(0)
  for (const index of [0, 1, 2]) open(index)
  await connected
  assert.deepEqual(lookups, ['a.example', 'b.example'])
})
