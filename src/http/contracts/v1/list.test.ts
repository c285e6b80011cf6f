import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { TestContext } from 'node:test'
import { Permission } from '../../../core/access/access.ts'
import type { NamespacePattern } from '../../../core/access/access.ts'
import { createKey, hashKey } from '../../../service/keys/api-key.ts'
import { KeyRing } from '../../../service/keys/key-ring.ts'
import { MemoryStore } from '../../../store/memory/memory-store.ts'
import { openSqliteStore } from '../../../store/sqlite/sqlite-store.ts'
import { temporaryFile } from '../../../store/sqlite/file/temporary-file.fixture.ts'
import type { TestServerOptions } from '../../test-server.fixture.ts'
import { details, HOOK, setup } from './v1.fixture.ts'

/** Five in one namespace, the first created due last, and one elsewhere. */
async function setupWithTimers(t: TestContext, options: TestServerOptions = {}) {
  const server = await setup(t, options)
  for (let n = 0; n < 5; n++) {
    await server.call('create', {
      id: `order-${n}`,
      schedule: `PT${10 - n}M`,
      callbackUrl: HOOK,
      metadata: { even: n % 2 === 0 },
    })
    await server.clock.advance(1_000)
  }
  await server.call('create', { id: 'order-1', namespace: 'other', schedule: 'PT1H', callbackUrl: HOOK })
  await server.call('pause', { timerId: 'order-4' })
  const list = async (body: object) => {
    const answer = await server.call('list', body)
    assert.equal(answer.status, 200, answer.text)
    const { timers, ...rest } = answer.json as { timers: { namespace: string; id: string }[] }
    return {
      names: timers.map(({ namespace, id }) => `${namespace === 'default' ? '' : `${namespace}/`}${id}`),
      ...rest,
    }
  }
  return { ...server, list }
}

suite('a sorted list', () => {
  test('refuses what does not go with it, and what is out of bounds', async (t) => {
    const { call } = await setup(t)
    const field = async (body: object) => details(await call('list', body))['field']
    for (const asked of [{ sort: 'dueAt' }, { order: 'desc' }, { offset: 0 }]) {
      assert.equal(await field({ ...asked, cursor: 'x' }), 'cursor')
      assert.equal(await field({ ...asked, dueFrom: '2030-01-01T00:00:00Z' }), 'dueFrom')
      assert.equal(await field({ ...asked, dueTo: '2030-01-01T00:00:00Z' }), 'dueTo')
    }
    assert.equal(await field({ sort: 'id' }), 'sort')
    assert.equal(await field({ order: 'up' }), 'order')
    for (const offset of [-1, 1.5, 1_000_001, '1']) assert.equal(await field({ offset }), 'offset')
    assert.equal(await field({ sort: 'dueAt', metadataValue: 1 }), 'metadataKey')
  })

  for (const store of ['memory', 'sqlite'] as const) {
    test(`is in the order asked for, page by page, with the total (${store})`, async (t) => {
      const stored = store === 'memory' ? new MemoryStore() : await openSqliteStore({ path: temporaryFile() })
      const { list } = await setupWithTimers(t, { store: stored })
      t.after(() => stored.close())
      const byDue = ['order-4', 'order-3', 'order-2', 'order-1', 'order-0']
      assert.deepEqual(await list({ sort: 'dueAt' }), { names: byDue, total: 5 })
      assert.deepEqual(await list({ order: 'desc' }), { names: byDue.toReversed(), total: 5 })
      assert.deepEqual(await list({ sort: 'createdAt', limit: 2 }), { names: ['order-0', 'order-1'], total: 5 })
      assert.deepEqual(await list({ sort: 'createdAt', limit: 2, offset: 4 }), { names: ['order-4'], total: 5 })
      assert.deepEqual(await list({ offset: 10 }), { names: [], total: 5 })
      const filter = { status: ['pending'], metadataKey: 'even', metadataValue: true }
      assert.deepEqual(await list({ sort: 'createdAt', order: 'desc', ...filter }), {
        names: ['order-2', 'order-0'],
        total: 2,
      })
      assert.deepEqual(await list({ sort: 'createdAt', namespace: '*', limit: 1, order: 'desc' }), {
        names: ['other/order-1'],
        total: 6,
      })
    })
  }
})

suite('a search', () => {
  test('refuses what does not go with it', async (t) => {
    const { call } = await setup(t)
    const field = async (body: object) => details(await call('list', { search: 'x', ...body }))['field']
    const others = { cursor: 'x', dueFrom: '2030-01-01T00:00:00Z', dueTo: '2030-01-01T00:00:00Z', metadataKey: 'a' }
    for (const [name, value] of Object.entries(others)) assert.equal(await field({ [name]: value }), name)
    assert.equal(await field({ search: '' }), 'search')
    assert.equal(await field({ search: '\0' }), 'search')
    assert.equal(await field({ search: 'x'.repeat(256) }), 'search')
  })

  test('finds ids by their beginning, in one namespace or in all', async (t) => {
    const { list } = await setupWithTimers(t)
    assert.deepEqual(await list({ search: 'order-1' }), { names: ['order-1'], total: 1, searched: 'prefix' })
    assert.deepEqual((await list({ search: 'order-1', namespace: '*' })).names, ['order-1', 'other/order-1'])
    assert.deepEqual((await list({ search: 'order', limit: 2, offset: 1, sort: 'createdAt' })).names, [
      'order-1',
      'order-2',
    ])
    assert.deepEqual((await list({ search: 'order', status: 'paused' })).names, ['order-4'])
    assert.deepEqual(await list({ search: 'rder' }), { names: [], total: 0, searched: 'prefix' })
  })
})

test('the namespace * is those that the key may see, and no key names it elsewhere', async (t) => {
  const [secret, keys] = [createKey(), new KeyRing()]
  const all = createKey()
  const permissions = new Set([Permission.timer])
  keys.replace([
    {
      hash: hashKey(secret),
      principal: { name: 'k', permissions, namespaces: ['mine' as NamespacePattern], rateLimit: null },
    },
    { hash: hashKey(all), principal: { name: 'all', permissions, namespaces: null, rateLimit: null } },
  ])
  const { call } = await setup(t, { keys })
  for (const namespace of ['mine', 'theirs']) {
    await call('create', { id: 'a', namespace, schedule: 'PT1H', callbackUrl: HOOK }, { 'x-api-key': all })
  }
  for (const body of [{}, { sort: 'dueAt' }, { search: 'a' }]) {
    const { json } = await call('list', { ...body, namespace: '*' }, { 'x-api-key': secret })
    assert.deepEqual(
      (json['timers'] as { namespace: string }[]).map(({ namespace }) => namespace),
      ['mine'],
    )
  }
  assert.equal(details(await call('cancel', { namespace: '*' }, { 'x-api-key': secret }))['field'], 'namespace')
})
