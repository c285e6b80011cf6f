// The SDK against a real service: every call, the live stream, and a receiver that is made with it.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { before, suite, test } from 'node:test'
import type { TestContext } from 'node:test'
import { Duetime, DuetimeError, fail, handler, reschedule } from '../sdks/typescript/src/index.ts'
import type { Firing, LiveEvent } from '../sdks/typescript/src/index.ts'
import { nodeHandler } from '../sdks/typescript/src/node.ts'
import { cleanUp } from './support/cleanup.ts'
import { eventually } from './support/eventually.ts'
import { startReceiver } from './support/receiver.ts'
import { startService } from './support/service.ts'
import type { Service } from './support/service.ts'
import { tempDir } from './support/temp-dir.ts'

const NOWHERE = 'http://127.0.0.1:9/never'
const LATER = { after: '1h', callbackUrl: NOWHERE } as const
const SECRET = `whsec_${randomBytes(32).toString('base64')}`

let service: Service
before(async (t) => {
  const context = t as TestContext
  service = await startService(context, {
    cwd: tempDir(context),
    env: { DATABASE_URL: 'memory:', WEBHOOK_SECRETS: SECRET },
  })
})

let namespaces = 0
/** A namespace of its own for each test. */
function client(): Duetime {
  return new Duetime({ url: `${service.url}/`, namespace: `sdk-${++namespaces}` })
}

suite('one timer', () => {
  test('without a delay it fires at once, by the clock of the service', async (t) => {
    const receiver = await startReceiver(t)
    const timer = await client().create({ after: '0s', callbackUrl: receiver.url })
    assert.ok(timer.executeAt <= timer.createdAt, 'it is due since its request arrived')
    const [delivery] = await eventually('it is delivered', () => receiver.deliveries.length > 0 && receiver.deliveries)
    assert.equal(delivery!.timerId, timer.id)
  })

  test('two clients with one idempotency key make one timer', async () => {
    const one = client()
    const two = new Duetime({ url: service.url, namespace: one.namespace })
    const timer = { ...LATER, idempotencyKey: 'order-1', payload: 1 }
    const made = await Promise.all([one.create(timer), two.create(timer)])
    assert.equal(made[0].id, made[1].id)
    const [result] = await one.batch([timer])
    assert.ok(result?.ok && result.timer.id === made[0].id)
    await assert.rejects(
      one.create({ ...timer, payload: 2 }),
      (error: DuetimeError) => error.code === 'IDEMPOTENCY_KEY_REUSED',
    )
    assert.equal((await one.list().toArray()).length, 1)
  })

  test('integers beyond 2^53 survive, in what is read and in what is sent', async () => {
    const duetime = client()
    const { rawJSON } = JSON as unknown as { rawJSON(this: void, text: string): unknown }
    const timer = await duetime.create({ ...LATER, id: 'big', payload: { id: rawJSON('12345678901234567891') } })
    for (const shown of [timer, await duetime.get('big'), ...(await duetime.list().toArray())]) {
      assert.equal(shown.payloadText, '{"id":12345678901234567891}')
    }
  })

  test('refusals are errors with what the server said', async () => {
    await assert.rejects(client().get('nobody'), (error: DuetimeError) => {
      assert.ok(error instanceof DuetimeError && error instanceof Error)
      assert.deepEqual([error.code, error.status, error.retryable, error.attempts], ['TIMER_NOT_FOUND', 404, false, 1])
      assert.match(error.requestId, /^req_[\da-f]{20}$/)
      return true
    })
    const refused = client().create({ after: '1h', callbackUrl: 'ftp://example.com' })
    await assert.rejects(
      refused,
      (error: DuetimeError) => error.code === 'INVALID_INPUT' && error.details['field'] === 'callbackUrl',
    )
    await assert.rejects(client().get(''), (error: DuetimeError) => error.details['field'] === 'timerId')
  })

  test('the key is sent with every request, and may change', async (t) => {
    const API_KEY = 'a-key-of-at-least-thirty-two-characters'
    const guarded = await startService(t, {
      cwd: tempDir(t),
      env: { DATABASE_URL: 'memory:', API_KEY, HOST: '127.0.0.1' },
    })
    const isUnauthorized = (error: DuetimeError) => error.code === 'UNAUTHORIZED' && error.status === 401
    await assert.rejects(new Duetime({ url: guarded.url }).list().toArray(), isUnauthorized)
    let key: string | null = null
    const duetime = new Duetime({ url: guarded.url, apiKey: () => key })
    await assert.rejects(Array.fromAsync(duetime.live()), isUnauthorized)
    key = API_KEY
    assert.deepEqual(await duetime.list().toArray(), [])
    assert.equal((await Array.fromAsync(duetime.live({ forSeconds: 0 }))).length, 1)
    assert.equal((await new Duetime({ url: guarded.url, apiKey: API_KEY }).page()).timers.length, 0)
  })

  test('something else on that port is told from the service', async (t) => {
    const server = createServer((_request, response) => response.writeHead(200).end('<h1>Hello</h1>'))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    cleanUp(t, () => server.close())
    const other = new Duetime({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
    await assert.rejects(
      other.get('a'),
      (error: DuetimeError) => error.code === 'BAD_ANSWER' && error.message.includes('<h1>Hello'),
    )
  })

  test('is created, read, changed, paused, resumed, fired and canceled', async (t) => {
    const duetime = client()
    const receiver = await startReceiver(t)
    const at = new Date(Date.now() + 3_600_000)
    const created = await duetime.create({ at, callbackUrl: receiver.url, payload: { n: 1 }, metadata: { a: true } })
    assert.match(created.id, /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
    assert.deepEqual([created.namespace, created.payload, created.metadata], [duetime.namespace, { n: 1 }, { a: true }])
    assert.deepEqual(await duetime.get(created), created)
    const updated = await duetime.update(created, { after: { days: 3 }, payload: null, ifVersion: created.version })
    assert.deepEqual([updated.schedule, updated.payload, updated.version], ['P3D', undefined, 2])
    assert.equal((await duetime.pause(created.id)).status, 'paused')
    assert.equal((await duetime.resume(created.id)).status, 'pending')
    await duetime.trigger(created.id)
    await receiver.received(created.id)
    const other = await duetime.create({ id: 'a/b c', ...LATER })
    await duetime.cancel(other)
    assert.equal((await duetime.get('a/b c')).status, 'canceled')
    await assert.rejects(duetime.cancel('a/b c'), (error: DuetimeError) => error.code === 'TIMER_NOT_PENDING')
  })

  test('that failed is retried, alone or with others', async (t) => {
    const duetime = client()
    let status = 500
    const receiver = await startReceiver(t, () => ({ status }))
    for (const id of ['a', 'b'])
      await duetime.create({ id, after: '1s', callbackUrl: receiver.url, retryPolicy: { maxRetries: 0 } })
    const failed = () => duetime.list({ status: 'failed' }).toArray()
    await eventually('both have failed', async () => (await failed()).length === 2)
    status = 204
    assert.notEqual((await duetime.retry('a')).status, 'failed')
    assert.deepEqual(await duetime.retryMany({}, { dryRun: true }), { matched: 1, tooLate: 0, retried: 0, more: false })
    assert.deepEqual(await duetime.retryMany(), { matched: 1, tooLate: 0, retried: 1, more: false })
    await eventually('both are done', async () => (await duetime.list({ status: 'completed' }).toArray()).length === 2)
  })

  test('that does not exist yet is previewed', async () => {
    const daily = { every: 'P1D' as const, times: 5, from: '2030-03-30T09:00:00+01:00', timeZone: 'Europe/Berlin' }
    const { firings, localFirings } = await client().preview({ ...daily, count: 2 })
    assert.deepEqual(firings, ['2030-03-30T08:00:00.000Z', '2030-03-31T07:00:00.000Z'])
    assert.equal(localFirings?.[1], '2030-03-31T09:00:00.000+02:00[Europe/Berlin]')
    const range = await client().preview({ schedule: '@daily', from: new Date('2040-01-01T00:00:00Z'), to: '2040-01-03T00:00:00Z' }) // oxfmt-ignore
    assert.deepEqual(range.firings, ['2040-01-01T00:00:00.000Z', '2040-01-02T00:00:00.000Z'])
    const words = await client().preview({ every: 'weekday at 9:00', timeZone: 'Europe/Berlin' })
    assert.equal(words.description, 'at 09:00, Monday through Friday, in Europe/Berlin')
  })
})

suite('many timers', () => {
  test('calls that are made at the same time have their own answers and errors, and those on one timer keep their order', async () => {
    const duetime = client()
    let deep: unknown = 0
    for (let depth = 0; depth < 200; depth++) deep = [deep]
    const calls = [
      duetime.create({ ...LATER, id: 'a' }),
      duetime.create({ ...LATER, callbackUrl: 'nowhere' }),
      duetime.create({ ...LATER, payload: deep }),
      duetime.create({ ...LATER, payload: 1n }),
      ...[1, 2, 3].map((payload) => duetime.update('a', { payload })),
      duetime.update('nobody', { payload: 1 }),
      duetime.create({ ...LATER, id: 'b' }),
      duetime.cancel('b'),
      duetime.cancel('b'),
    ]
    const outcomes = (await Promise.allSettled(calls)).map((call) =>
      call.status === 'fulfilled' ? (call.value?.version ?? null) : (call.reason as DuetimeError).code,
    )
    assert.deepEqual(outcomes, [
      1,
      'INVALID_INPUT',
      'INVALID_INPUT',
      'INVALID_INPUT',
      2,
      3,
      4,
      'TIMER_NOT_FOUND',
      1,
      null,
      'TIMER_NOT_PENDING',
    ])
    assert.equal((await duetime.get('a')).payload, 3)
  })

  test('a batch of any size is split, and a bad one fails alone', async () => {
    const duetime = client()
    assert.deepEqual(await duetime.batch([]), [])
    const timers = Array.from({ length: 2_100 }, (_, n) => ({
      id: `t${n}`,
      after: '1h' as const,
      callbackUrl: n === 1_500 ? 'nowhere' : NOWHERE,
    }))
    const results = await duetime.batch(timers)
    assert.equal(results.length, 2_100)
    const bad = results.flatMap((result, index) =>
      result.ok ? [] : [[index, result.error.code, result.error.details['field']]],
    )
    assert.deepEqual(bad, [[1_500, 'INVALID_INPUT', 'callbackUrl']])
    const seen = new Set<string>()
    for await (const { id } of duetime.list({ limit: 1_000 })) seen.add(id)
    assert.equal(seen.size, 2_099)
    const progress: number[] = []
    const canceled = await duetime.cancelMany(
      { all: true },
      { onProgress: ({ changed }) => void progress.push(changed) },
    )
    assert.deepEqual(canceled, { matched: 2_099, tooLate: 0, canceled: 2_099, more: false })
    assert.equal(progress.at(-1), 2_099)
  })

  test('one that is wrong before it is sent fails alone as well', async () => {
    const duetime = client()
    const results = await duetime.batch([
      { ...LATER, id: 'a' },
      { ...LATER, id: 'b', at: 0 } as never,
      { ...LATER, id: 'c' },
    ])
    assert.deepEqual(
      results.map((result) => (result.ok ? result.timer.id : result.error.code)),
      ['a', 'INVALID_INPUT', 'c'],
    )
  })

  test('large payloads are split by size', async () => {
    const payload = 'x'.repeat(200_000)
    const results = await client().batch(Array.from({ length: 45 }, () => ({ ...LATER, payload })))
    assert.ok(results.every(({ ok }) => ok))
  })

  test('lists go on over pages, sorted ones too, and stop when the reader does', async () => {
    const duetime = client()
    const timer = (n: number) => ({
      id: `t${n}`,
      after: { hours: n + 1 },
      callbackUrl: NOWHERE,
      metadata: { odd: n % 2 },
    })
    await duetime.batch(Array.from({ length: 7 }, (_, n) => timer(n)))
    const ids = async (list: AsyncIterable<{ id: string }>) => (await Array.fromAsync(list, ({ id }) => id)).join()
    assert.equal(await ids(duetime.list({ limit: 3 })), 't0,t1,t2,t3,t4,t5,t6')
    assert.equal(await ids(duetime.list({ limit: 3, sort: 'dueAt', order: 'desc' })), 't6,t5,t4,t3,t2,t1,t0')
    assert.equal(await ids(duetime.list({ search: 't' })), 't0,t1,t2,t3,t4,t5,t6')
    assert.equal(await ids(duetime.list({ metadataKey: 'odd', metadataValue: 1 })), 't1,t3,t5')
    assert.equal(await ids(duetime.list({ dueTo: new Date(Date.now() + 2.5 * 3_600_000) })), 't0,t1')
    assert.equal((await duetime.list({ limit: 2 }).toArray(3)).length, 3)
    const few = await duetime.list({ fields: ['id', 'status'] }).toArray(1)
    assert.deepEqual(few satisfies { id: string; status: string }[], [{ id: 't0', status: 'pending' }])
    const { total, timers: page } = await duetime.page({ sort: 'dueAt', limit: 2, offset: 5 })
    assert.deepEqual([total, page.map(({ id }) => id)], [7, ['t5', 't6']])
    assert.equal((await Array.fromAsync(duetime.list({ limit: 3 }).pages())).length, 3)
  })

  test('a cancel of many that does not say which is refused here, since the namespace alone is always sent', async () => {
    const duetime = client()
    await duetime.create(LATER)
    await assert.rejects(duetime.cancelMany({}), (error: DuetimeError) => error.details['field'] === 'all')
    await assert.rejects(
      duetime.cancelMany({ status: 'pending' }),
      (error: DuetimeError) => error.details['field'] === 'all',
    )
    assert.deepEqual(await duetime.cancelMany({ all: true }, { dryRun: true }), {
      matched: 1,
      tooLate: 0,
      canceled: 0,
      more: false,
    })
    assert.equal((await duetime.list({ status: 'pending' }).toArray()).length, 1)
  })
})

suite('insight', () => {
  test('overview, forecast, cluster and a test of a callback', async (t) => {
    const duetime = client()
    const { namespace } = duetime
    await duetime.create({ after: '90s', callbackUrl: NOWHERE })
    const { counts, version } = await duetime.overview({ namespace })
    assert.equal(counts.pending, 1)
    assert.match(version, /^\d+\.\d+\.\d+/)
    const forecast = await duetime.forecast({ namespace, step: 'minute', steps: 5 })
    assert.deepEqual([forecast.stepMs, forecast.steps.length, forecast.total], [60_000, 5, 1])
    assert.ok((await duetime.cluster()).shards.length > 0)
    const receiver = await startReceiver(t)
    const tested = await duetime.testCallback({ callbackUrl: receiver.url, payload: 1 })
    assert.deepEqual([tested.outcome, tested.statusCode, receiver.deliveries.length], ['delivered', 200, 1])
    assert.equal(receiver.deliveries[0]!.body.namespace, namespace)
  })

  test('the live stream shows what happens, and ends when the reader goes', async (t) => {
    const duetime = client()
    const receiver = await startReceiver(t)
    const seen: LiveEvent[] = []
    const connections: boolean[] = []
    const onConnection = (isConnected: boolean) => void connections.push(isConnected)
    for await (const event of duetime.live({ namespace: duetime.namespace, onConnection })) {
      seen.push(event)
      if (seen.length === 1) await duetime.create({ id: 'a', after: '1s', callbackUrl: receiver.url })
      if (event.type === 'firing') break
    }
    const [first] = seen
    assert.equal(first?.type === 'overview' && first.data.counts.pending, 0)
    const change = seen.find((event) => event.type === 'change')
    assert.deepEqual([change?.data.type, change?.data.id, change?.data.status], ['created', 'a', 'pending'])
    const firing = seen.find((event) => event.type === 'firing')
    assert.deepEqual(
      [firing?.data.id, firing?.data.outcome, firing?.data.statusCode, firing?.data.attempt],
      ['a', 'delivered', 200, 1],
    )
    assert.ok(firing!.data.latenessMs! >= 0)
    assert.deepEqual(connections, [true])
  })

  test('a live stream that is aborted ends, and one for a time ends then', async () => {
    const duetime = client()
    const controller = new AbortController()
    let events = 0
    for await (const _ of duetime.live({ signal: controller.signal })) {
      events++
      controller.abort()
    }
    assert.equal(events, 1)
    assert.equal((await Array.fromAsync(duetime.live({ forSeconds: 0 }))).length, 1)
    const refused = Array.fromAsync(duetime.live({ namespace: 'not a name' }))
    await assert.rejects(refused, (error: DuetimeError) => error.code === 'INVALID_INPUT')
  })
})

suite('a receiver made with the SDK', () => {
  type Order = { readonly orderId: number }

  async function receiving(t: TestContext, run: (firing: Firing<Order>) => ReturnType<typeof fail>) {
    const firings: Firing<Order>[] = []
    const receive = (firing: Firing<Order>) => {
      firings.push(firing)
      return run(firing)
    }
    const server = createServer(nodeHandler<Order>(receive, { secret: SECRET }))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    cleanUp(t, () => {
      server.close()
      server.closeAllConnections()
    })
    return { firings, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }
  }

  test('completes, reschedules, fails for now and fails for good', async (t) => {
    const duetime = client()
    const { firings, url } = await receiving(t, ({ id, attempt }) => {
      if (id === 'later') return reschedule(Date.now() + 3_600_000)
      if (id === 'never') return fail('no such order', { final: true })
      if (id === 'again' && attempt === 1) return fail('out of paper')
    })
    const retryPolicy = { initialInterval: '10ms' }
    for (const id of ['done', 'later', 'never', 'again']) {
      await duetime.create<Order>({
        id,
        after: '1s',
        callbackUrl: url,
        payload: { orderId: 7 },
        metadata: { team: 'x' },
        retryPolicy,
      })
    }
    const became = (id: string, status: string) =>
      eventually(`${id} is ${status}`, async () => (await duetime.get(id)).status === status)
    await became('done', 'completed')
    await became('never', 'failed')
    await became('again', 'completed')
    const outcomes = async (id: string) => (await duetime.get(id)).attempts.map(({ outcome }) => outcome)
    await eventually('it is rescheduled', async () => (await outcomes('later')).includes('rescheduled'))
    assert.match((await duetime.get('again')).attempts[0]!.error!, /out of paper/)
    const { executeAt, firedAt, deliveryId, ...rest } = firings.find(({ id }) => id === 'done')!
    const { namespace } = duetime
    const named = { id: 'done', namespace, groupId: namespace }
    assert.deepEqual(rest, { ...named, payload: { orderId: 7 }, attempt: 1, schedule: 'PT1S', metadata: { team: 'x' } })
    assert.ok(firedAt >= executeAt && deliveryId.length > 0)
  })

  test('takes only what the service has signed', async (t) => {
    const { url, firings } = await receiving(t, () => assert.fail('called'))
    const body = JSON.stringify({ id: 'a', deliveryId: 'x' })
    assert.equal((await fetch(url, { method: 'POST', body })).status, 401)
    assert.equal((await fetch(url)).status, 405)
    const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(1_048_576)) })
    const large = await fetch(url, { method: 'POST', body: endless, duplex: 'half' }).catch(() => null)
    assert.ok(large === null || large.status === 413, 'an endless body is not read to its end')
    assert.equal(firings.length, 0)
    const web = handler(() => {}, { secret: SECRET })
    assert.equal((await web(new Request(url, { method: 'POST', body }))).status, 401)
  })
})

suite('calendars', () => {
  test('are made, read, listed and deleted in the namespace of the client, and followed by its timers', async () => {
    const shop = client()
    await assert.rejects(shop.calendars.get('holidays'), (error: DuetimeError) => error.code === 'CALENDAR_NOT_FOUND')
    await assert.rejects(
      shop.calendars.put('holidays', { exclude: ['x'] }),
      (error: DuetimeError) => error.details['field'] === 'exclude[0]',
    )
    const made = await shop.calendars.put('holidays', { timeZone: 'Europe/Berlin', exclude: ['--12-25'] })
    assert.deepEqual(made, { namespace: shop.namespace, name: 'holidays', timeZone: 'Europe/Berlin', exclude: ['--12-25'], allow: [] }) // oxfmt-ignore
    assert.deepEqual([await shop.calendars.get('holidays'), await shop.calendars.list()], [made, [made]])
    assert.deepEqual(await client().calendars.list(), [])
    const calendar = { name: 'holidays' }
    const at = '2090-12-25T12:00:00Z'
    const { firings, unusual } = await shop.preview({ executeAt: at, calendar })
    assert.deepEqual([firings, unusual[0]!.reasons], [['2090-12-25T23:00:00.000Z'], ['calendar']])
    const timer = await shop.create({ executeAt: at, calendar, callbackUrl: NOWHERE })
    assert.deepEqual([timer.executeAt, timer.nominalAt], [firings[0], '2090-12-25T12:00:00.000Z'])
    await shop.calendars.delete('holidays')
    await assert.rejects(shop.calendars.delete('holidays'), (error: DuetimeError) => error.status === 404)
  })
})
