import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { TestContext } from 'node:test'
import { Permission } from '../../core/access/access.ts'
import type { NamespacePattern } from '../../core/access/access.ts'
import { systemClock } from '../../runtime/clock/clock.ts'
import { createKey, hashKey } from '../../service/keys/api-key.ts'
import { KeyRing } from '../../service/keys/key-ring.ts'
import { MemoryStore } from '../../store/memory/memory-store.ts'
import { StoreError } from '../../store/store.ts'
import { createEgressPolicy } from '../../targets/http/egress/egress.ts'
import { aReceiver, aTarget } from '../../targets/http/delivery.fixture.ts'
import { REFUSED, testServer } from '../test-server.fixture.ts'
import type { Answer, TestServer } from '../test-server.fixture.ts'

const HOOK = 'https://example.com/hook'

function create({ post }: TestServer, id: string, more: object = {}): Promise<Answer> {
  return post('/api/v1/timers/create', { id, schedule: 'PT5S', callbackUrl: HOOK, ...more })
}

function field({ json }: Answer): unknown {
  return (json['details'] as { field?: string }).field
}

suite('the overview', () => {
  test('is refused for a namespace that cannot be one, and unavailable while the store fails', async (t) => {
    class FailingStore extends MemoryStore {
      override stats(): Promise<never> {
        return Promise.reject(new StoreError('no disk'))
      }
    }
    const server = await testServer(t, { store: new FailingStore() })
    assert.equal(field(await server.request('/api/v1/overview?namespace=a%20b')), 'namespace')
    assert.equal(field(await server.request('/api/v1/overview?x=1')), 'x')
    assert.equal((await server.request('/api/v1/overview')).json['error'], 'UNAVAILABLE')
  })

  test('tells how many timers there are, what happened and how late', async (t) => {
    const server = await testServer(t, {
      answer: ({ timer }) => (timer.id === 'bad' ? REFUSED : { type: 'delivered', statusCode: 200 }),
    })
    await create(server, 'good')
    await create(server, 'bad', { namespace: 'other', retryPolicy: { maxRetries: 0 } })
    await create(server, 'later', { schedule: 'PT1H' })
    await server.clock.advance(6_000)
    const { json } = await server.request('/api/v1/overview')
    assert.deepEqual(json['counts'], { pending: 1, paused: 0, executing: 0, completed: 1, failed: 1, canceled: 0 })
    assert.deepEqual(
      (json['namespaces'] as { namespace: string }[]).map(({ namespace }) => namespace),
      ['default', 'other'],
    )
    assert.deepEqual(json['lastMinute'], {
      fired: 2,
      delivered: 1,
      rescheduled: 0,
      retried: 0,
      failed: 1,
      created: 3,
      canceled: 0,
    })
    assert.deepEqual(json['lateness'], { count: 2, p50: 0, p90: 0, p99: 0, max: 0, histogram: [{ leMs: 0, count: 2 }] })
    const { node, scope, database, tracked, namespacesTotal } = json
    assert.deepEqual([node, scope, database, tracked, namespacesTotal], ['test', 'node', 'memory', true, 2])
    const seconds = json['perSecond'] as { fired: number }[]
    assert.deepEqual([seconds.length, seconds.reduce((sum, { fired }) => sum + fired, 0)], [60, 2])
  })

  test('of one namespace has that one’s figures', async (t) => {
    const server = await testServer(t)
    await create(server, 'a')
    await create(server, 'b', { namespace: 'other' })
    const { json } = await server.request('/api/v1/overview?namespace=other')
    assert.equal(json['namespace'], 'other')
    assert.equal((json['counts'] as { pending: number }).pending, 1)
    assert.equal((json['lastHour'] as { created: number }).created, 1)
    assert.deepEqual(
      (json['namespaces'] as { namespace: string }[]).map(({ namespace }) => namespace),
      ['other'],
    )
  })

  test('shows a key no other namespace, not even in a sum', async (t) => {
    const [secret, adminSecret] = [createKey(), createKey()]
    const keys = new KeyRing()
    const principal = {
      name: 'k',
      permissions: new Set([Permission.read]),
      namespaces: ['mine' as NamespacePattern],
      rateLimit: null,
    }
    const admin = { name: 'admin', permissions: new Set([Permission.admin]), namespaces: null, rateLimit: null }
    keys.replace([
      { hash: hashKey(secret), principal },
      { hash: hashKey(adminSecret), principal: admin },
    ])
    const server = await testServer(t, { keys })
    const as = (key: string) => ({ 'x-api-key': key })
    for (const namespace of ['mine', 'theirs']) {
      await server.post(
        '/api/v1/timers/create',
        { id: 'a', namespace, schedule: 'PT5S', callbackUrl: HOOK },
        as(adminSecret),
      )
    }
    const { json, text } = await server.request('/api/v1/overview', { headers: as(secret) })
    assert.ok(!text.includes('theirs'))
    assert.deepEqual([json['gauges'], (json['counts'] as { pending: number }).pending], [null, 1])
    assert.equal((json['lastMinute'] as { created: number }).created, 1)
    assert.equal((await server.request('/api/v1/forecast', { headers: as(secret) })).json['total'], 1)
    assert.equal((await server.request('/api/v1/forecast', { headers: as(adminSecret) })).json['total'], 2)
  })
})

suite('the forecast', () => {
  test('refuses steps that it has not got', async (t) => {
    const { request } = await testServer(t)
    for (const steps of ['0', '367', '-1', '1.5', 'x', ''])
      assert.equal(field(await request(`/api/v1/forecast?steps=${steps}`)), 'steps')
    assert.equal(field(await request('/api/v1/forecast?step=week')), 'step')
    assert.equal(field(await request('/api/v1/forecast?namespace=%2F')), 'namespace')
  })

  test('counts what is due in each step, and finds the peak', async (t) => {
    const server = await testServer(t)
    await Promise.all(Array.from({ length: 12 }, (_, n) => create(server, `m${n}`, { schedule: 'PT90S' })))
    await create(server, 'soon')
    await create(server, 'paused')
    await server.post('/api/v1/timers/pause', { timerId: 'paused' })
    const { json } = await server.request('/api/v1/forecast?steps=5')
    const steps = json['steps'] as { at: string; count: number; hot: boolean }[]
    assert.deepEqual(
      steps.map(({ count, hot }) => [count, hot]),
      [
        [1, false],
        [12, true],
        [0, false],
        [0, false],
        [0, false],
      ],
    )
    assert.deepEqual([json['total'], json['overdue'], json['complete'], json['stepMs']], [13, 0, true, 60_000])
    assert.deepEqual(json['peak'], { at: steps[1]!.at, count: 12 })
  })
})

suite('a callback test', () => {
  async function setup(t: TestContext, answer: Parameters<typeof aReceiver>[1]) {
    const receiver = await aReceiver(t, answer)
    const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
    const server = await testServer(t, {
      testTarget: (protocol) => aTarget(t, { protocols: [protocol], signingSecrets: [secret] }),
    })
    const tested = async (body: object = {}) =>
      server.post('/api/v1/callbacks/test', { callbackUrl: receiver.url, ...body })
    return { ...server, receiver, tested }
  }

  test('whose callback could never be one is refused', async (t) => {
    const server = await testServer(t)
    const post = (body: object) => server.post('/api/v1/callbacks/test', body)
    assert.equal(field(await post({})), 'callbackUrl')
    assert.equal(field(await post({ callbackUrl: 'ftp://x' })), 'callbackUrl')
    assert.equal(field(await post({ callback: { type: 'nats', topic: 'x' } })), 'callback')
    assert.equal(field(await post({ callbackUrl: HOOK, callbackTimeout: '1ms' })), 'callbackTimeout')
    assert.equal(server.firings.length, 0)
  })

  test('tells why a delivery failed, and is 200 all the same', async (t) => {
    const { tested } = await setup(t, (response) => response.writeHead(500).end('broken'))
    const { status, json } = await tested()
    assert.equal(status, 200)
    const { outcome, statusCode, error, responseBody, responseTruncated } = json
    assert.deepEqual(
      { outcome, statusCode, error, responseBody, responseTruncated },
      {
        outcome: 'failed',
        statusCode: 500,
        error: 'HTTP 500',
        responseBody: 'broken',
        responseTruncated: false,
      },
    )
  })

  test('does not reach what timers may not reach', async (t) => {
    const egress = createEgressPolicy({ allow: [], deny: [], loopbackAllowed: false, privateAllowed: false })
    const receiver = await aReceiver(t, (response) => response.end('secret'))
    const server = await testServer(t, {
      testTarget: (protocol) => aTarget(t, { protocols: [protocol], egress, clock: systemClock }),
    })
    const { json, text } = await server.post('/api/v1/callbacks/test', { callbackUrl: receiver.url })
    assert.deepEqual([json['outcome'], json['statusCode'], json['responseBody']], ['failed', null, null])
    assert.ok(!text.includes('secret'))
    assert.equal(receiver.requests.length, 0)
  })

  test('shows the beginning of a long answer, and says that there is more', async (t) => {
    for (const length of [20_000, 200_000]) {
      const { tested } = await setup(t, (response) => response.end('x'.repeat(length)))
      const { json } = await tested()
      assert.deepEqual([(json['responseBody'] as string).length, json['responseTruncated']], [16_384, true])
    }
  })

  test('sends what a timer would send, signed, and stores nothing', async (t) => {
    const { tested, receiver, request } = await setup(t, (response) => response.end('{"ok":true}'))
    const { json } = await tested({ payload: { n: 1 }, metadata: { team: 'a' }, namespace: 'shop' })
    assert.deepEqual(
      [json['outcome'], json['statusCode'], json['error'], json['responseBody']],
      ['delivered', 200, null, '{"ok":true}'],
    )
    const [{ headers, body }] = receiver.requests as [(typeof receiver.requests)[number]]
    assert.equal(headers['webhook-id'], json['deliveryId'])
    assert.match(headers['webhook-signature'] as string, /^v1,/)
    const sent = JSON.parse(body) as Record<string, unknown>
    assert.deepEqual(
      [sent['payload'], sent['metadata'], sent['namespace'], sent['attempt']],
      [{ n: 1 }, { team: 'a' }, 'shop', 1],
    )
    assert.deepEqual((await request('/api/v1/overview')).json['namespacesTotal'], 0)
  })

  test('tells when the receiver wants to be called again', async (t) => {
    const { tested } = await setup(t, (response) => response.end('{"ok":false,"nextExecuteAt":"2099-01-01T00:00:00Z"}'))
    const { json } = await tested()
    assert.deepEqual([json['outcome'], json['nextExecuteAt']], ['rescheduled', '2099-01-01T00:00:00.000Z'])
  })
})
