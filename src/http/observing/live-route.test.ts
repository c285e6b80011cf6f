import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { TestContext } from 'node:test'
import { Permission } from '../../core/access/access.ts'
import type { NamespacePattern, Principal } from '../../core/access/access.ts'
import { createKey, hashKey } from '../../service/keys/api-key.ts'
import { KeyRing } from '../../service/keys/key-ring.ts'
import { testServer } from '../test-server.fixture.ts'
import type { TestServer, TestServerOptions } from '../test-server.fixture.ts'
import { LISTENERS_MAX } from './live-route.ts'
import { LiveReader } from './live.fixture.ts'

const HOOK = 'https://example.com/hook'

async function setup(t: TestContext, options: TestServerOptions = {}) {
  const server = await testServer(t, options)
  const listen = (query = '', headers: Record<string, string> = {}) =>
    LiveReader.open(t, `${server.url}/api/v1/live${query}`, headers)
  return { ...server, listen }
}

function create({ post }: TestServer, id: string, more: object = {}, headers: Record<string, string> = {}) {
  return post('/api/v1/timers/create', { id, schedule: 'PT5S', callbackUrl: HOOK, ...more }, headers)
}

type Keyed = { readonly secret: string; readonly entry: { readonly hash: string; readonly principal: Principal } }

function keyed(...names: readonly string[]): Keyed {
  const secret = createKey()
  const namespaces = names.length === 0 ? null : (names as readonly NamespacePattern[])
  const principal = { name: 'k', permissions: new Set([Permission.timer]), namespaces, rateLimit: null }
  return { secret, entry: { hash: hashKey(secret), principal } }
}

suite('the live stream', () => {
  test('refuses what is wrong in the query, and names it', async (t) => {
    const { request } = await setup(t)
    const field = async (query: string) => {
      const { status, json } = await request(`/api/v1/live?${query}`)
      return [status, (json['details'] as { field?: string }).field]
    }
    for (const value of ['', '-1', '1.5', 'x', '86401'])
      assert.deepEqual(await field(`forSeconds=${value}`), [400, 'forSeconds'])
    assert.deepEqual(await field('namespace=a%20b'), [400, 'namespace'])
    assert.deepEqual(await field('nonsense=1'), [400, 'nonsense'])
  })

  test('begins with how things are and is not for caches', async (t) => {
    const server = await setup(t)
    await create(server, 'a')
    const live = await server.listen()
    assert.equal(live.headers.get('content-type'), 'text/event-stream; charset=utf-8')
    assert.deepEqual([live.headers.get('cache-control'), live.headers.get('x-accel-buffering')], ['no-store', 'no'])
    const { name, data } = (await live.next())!
    assert.equal(name, 'overview')
    assert.equal((data['counts'] as { pending: number }).pending, 1)
    assert.equal((data['lastMinute'] as { created: number }).created, 1)
    assert.deepEqual(data['skipped'], { firings: 0, changes: 0 })
  })

  test('shows changes and firings as they happen, and every second how things are', async (t) => {
    const server = await setup(t)
    const live = await server.listen()
    await live.next('overview')
    await create(server, 'a')
    await server.clock.advance(200)
    const { type, id, status, version } = (await live.next('change'))!.data
    assert.deepEqual({ type, id, status, version }, { type: 'created', id: 'a', status: 'pending', version: 1 })
    await server.clock.advance(5_000)
    const firing = (await live.next('firing'))!.data
    const told = ['id', 'latenessMs', 'outcome', 'status', 'nextAt'].map((name) => firing[name])
    assert.deepEqual(told, ['a', 0, 'delivered', 'completed', null])
    await server.clock.advance(1_000)
    const lastSecondAt = async () =>
      Date.parse(((await live.next('overview'))!.data['lastSecond'] as { at: string }).at)
    assert.equal(-(await lastSecondAt()) + (await lastSecondAt()), 1_000)
  })

  test('shows one namespace to who asks for one, without a word about the others', async (t) => {
    const server = await setup(t)
    const live = await server.listen('?namespace=mine')
    await create(server, 'theirs', { namespace: 'other' })
    await create(server, 'ours', { namespace: 'mine' })
    await server.clock.advance(6_000)
    const { data } = (await live.next('change'))!
    assert.deepEqual([data['namespace'], data['id']], ['mine', 'ours'])
    assert.equal((await live.next('firing'))!.data['id'], 'ours')
  })

  test('shows a key its own namespaces only, and nothing of the node as a whole', async (t) => {
    const { secret, entry } = keyed('team.*')
    const all = keyed()
    const keys = new KeyRing()
    keys.replace([entry, all.entry])
    const server = await setup(t, { keys })
    const headers = { 'x-api-key': secret }
    assert.equal((await server.request('/api/v1/live?namespace=other', { headers })).status, 403)
    const live = await server.listen('', headers)
    await create(server, 'theirs', { namespace: 'other' }, { 'x-api-key': all.secret })
    await create(server, 'ours', { namespace: 'team.x' }, headers)
    await server.clock.advance(3_000)
    assert.equal((await live.next('change'))!.data['id'], 'ours')
    for (let n = 0; n < 2; n++) await live.next('overview')
    const { data } = (await live.next('overview'))!
    assert.equal(data['gauges'], null)
    assert.deepEqual(
      [(data['lastMinute'] as { created: number }).created, (data['counts'] as { pending: number }).pending],
      [1, 1],
    )
  })

  test('ends within seconds of the key being taken away, or bound to something else', async (t) => {
    const { secret, entry } = keyed()
    const keys = new KeyRing()
    keys.replace([entry])
    const server = await setup(t, { keys })
    const headers = { 'x-api-key': secret }
    const first = await server.listen('', headers)
    keys.replace([{ ...entry, principal: { ...entry.principal, namespaces: ['a' as NamespacePattern] } }])
    await server.clock.advance(5_000)
    assert.deepEqual((await first.next('end'))!.data, { reason: 'key' })
    assert.equal(await first.next(), null)
    const second = await server.listen('', headers)
    await server.clock.advance(20_000)
    keys.replace([])
    await server.clock.advance(5_000)
    assert.deepEqual((await second.next('end'))!.data, { reason: 'key' })
  })

  test('ends by itself after the time that was asked for', async (t) => {
    const { clock, listen } = await setup(t)
    const live = await listen('?forSeconds=2')
    await clock.advance(2_000)
    assert.deepEqual((await live.next('end'))!.data, { reason: 'time' })
    assert.equal(await live.next(), null)
  })

  test('leaves nothing behind when the reader goes', async (t) => {
    const server = await setup(t)
    const waiting = server.clock.waiting
    const leave = new AbortController()
    const response = await fetch(`${server.url}/api/v1/live`, { signal: leave.signal })
    const gauge = async () =>
      ((await server.request('/api/v1/overview')).json['gauges'] as { listeners: number }).listeners
    assert.equal(await gauge(), 1)
    assert.ok(server.clock.waiting > waiting)
    leave.abort()
    await response.body?.cancel().catch(() => {})
    while ((await gauge()) > 0);
    assert.equal(server.clock.waiting, waiting)
  })

  test('does not hold up the end of the service, and tells its readers', async (t) => {
    const server = await setup(t)
    const live = await server.listen()
    await live.next('overview')
    await server.close()
    assert.deepEqual((await live.next('end'))!.data, { reason: 'shutdown' })
    assert.equal(await live.next(), null)
  })

  test('takes so many listeners and no more', async (t) => {
    const server = await setup(t)
    const listeners = await Promise.all(Array.from({ length: LISTENERS_MAX }, () => server.listen()))
    assert.ok(listeners.every(({ status }) => status === 200))
    const refused = await server.request('/api/v1/live')
    assert.deepEqual(
      [refused.status, refused.json['error'], refused.headers.get('retry-after')],
      [503, 'UNAVAILABLE', '10'],
    )
  })

  test('the key with most listeners makes room for those of another, the oldest first', async (t) => {
    const [greedy, small] = [keyed(), keyed('b')]
    const named = ({ entry }: Keyed, name: string) => ({ ...entry, principal: { ...entry.principal, name } })
    const server = await setup(t, { keys: new KeyRing([named(greedy, 'greedy'), named(small, 'small')]) })
    const open = ({ secret }: Keyed) => server.listen('', { 'x-api-key': secret })
    const oldest = await open(greedy)
    await Promise.all(Array.from({ length: LISTENERS_MAX - 1 }, () => open(greedy)))
    const other = await open(small)
    assert.equal(other.status, 200)
    assert.deepEqual((await oldest.next('end'))!.data, { reason: 'room' })
    const refused = await server.request('/api/v1/live', { headers: { 'x-api-key': greedy.secret } })
    assert.equal(refused.status, 503)
  })
})
