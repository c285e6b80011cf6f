// What the SDK promises about retries, against a real service: answers that get lost on the way, and a service that is
// killed and started again while calls are under way. A call that succeeds was carried out, once.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { TestContext } from 'node:test'
import { Duetime, DuetimeError } from '../sdks/typescript/src/index.ts'
import { cleanUp } from './support/cleanup.ts'
import { eventually } from './support/eventually.ts'
import { startLossyProxy } from './support/lossy-proxy.ts'
import { startReceiver } from './support/receiver.ts'
import { Service, startService } from './support/service.ts'
import { tempDir } from './support/temp-dir.ts'

const NOWHERE = 'http://127.0.0.1:9/never'

async function setup(t: TestContext) {
  const service = await startService(t, { cwd: tempDir(t), env: { DATABASE_URL: 'memory:' } })
  const proxy = await startLossyProxy(t, service)
  return { proxy, client: new Duetime({ url: proxy.url }), direct: new Duetime({ url: service.url, retries: 0 }) }
}

function withCode(code: string) {
  return (error: unknown) => error instanceof DuetimeError && error.code === code
}

suite('an answer that gets lost', () => {
  test('a create without an id is still one timer', async (t) => {
    const { proxy, client, direct } = await setup(t)
    proxy.loseAnswers(2)
    const timer = await client.create({ after: { hours: 1 }, callbackUrl: NOWHERE, payload: { n: 1 } })
    assert.equal(proxy.requests.length, 3)
    assert.deepEqual(
      (await direct.list().toArray()).map(({ id, version }) => [id, version]),
      [[timer.id, 1]],
    )
  })

  test('a create that rejects taken ids finds its own timer there and succeeds', async (t) => {
    const { proxy, client } = await setup(t)
    const payload = { b: [1, { c: null }], a: 'x' }
    const wanted = {
      id: 'a',
      at: '2099-01-01T00:00:00+01:00',
      callbackUrl: NOWHERE,
      payload,
      onConflict: 'reject',
    } as const
    proxy.loseAnswers(1)
    assert.equal((await client.create(wanted)).version, 1)
    await assert.rejects(client.create(wanted), withCode('TIMER_ALREADY_EXISTS'))
  })

  test('a create that rejects taken ids is refused when the timer there is another one', async (t) => {
    const { proxy, client, direct } = await setup(t)
    const wanted = { id: 'a', after: 'PT1H', callbackUrl: NOWHERE, payload: 1, onConflict: 'reject' } as const
    await direct.create({ ...wanted, payload: 2 })
    proxy.loseAnswers(1)
    await assert.rejects(client.create(wanted), withCode('TIMER_ALREADY_EXISTS'))
    assert.equal((await direct.get('a')).payload, 2)
  })

  test('a create that replaces does not fire twice when the first attempt has fired meanwhile', async (t) => {
    const receiver = await startReceiver(t)
    const { proxy, client, direct } = await setup(t)
    const isFired = async () => (await direct.get('a')).status === 'completed'
    proxy.loseAnswers(1, () => eventually('the timer has fired', isFired))
    const timer = await client.create({ id: 'a', after: '1s', callbackUrl: receiver.url, payload: 'x' })
    assert.equal(timer.status, 'completed')
    assert.deepEqual(proxy.requests, ['/api/v1/timers/create', '/api/v1/timers/create'])
    assert.equal((await direct.get('a')).version, timer.version)
    assert.equal(receiver.of('a').length, 1)
  })

  test('a create that replaces takes the place of a timer that was there before', async (t) => {
    const { proxy, client, direct } = await setup(t)
    await direct.create({ id: 'a', after: '1h', callbackUrl: NOWHERE, payload: 'old' })
    proxy.loseAnswers(1)
    const timer = await client.create({ id: 'a', after: '2h', callbackUrl: NOWHERE, payload: 'new' })
    assert.equal(timer.payload, 'new')
    assert.equal(timer.version, 2)
    assert.equal((await direct.get('a')).version, 2)
  })

  test('every timer of a batch is made once, and those in the way of it are still reported', async (t) => {
    const { proxy, client, direct } = await setup(t)
    await direct.create({ id: 't3', after: '1h', callbackUrl: NOWHERE, payload: 'another' })
    proxy.loseAnswers(1)
    const timers = Array.from({ length: 5 }, (_, n) => ({
      id: `t${n}`,
      after: '1h' as const,
      callbackUrl: NOWHERE,
      payload: n,
    }))
    const results = await client.batch([...timers, { after: '1h', callbackUrl: NOWHERE }], { onConflict: 'reject' })
    assert.deepEqual(
      results.map((result) => (result.ok ? result.timer.version : result.error.code)),
      [1, 1, 1, 'TIMER_ALREADY_EXISTS', 1, 1],
    )
    assert.equal((await direct.list().toArray()).length, 6)
  })

  test('calls that shared the request are carried out once each', async (t) => {
    const { proxy, client, direct } = await setup(t)
    await direct.create({ id: 'taken', after: '1h', callbackUrl: NOWHERE })
    await direct.create({ id: 'old', after: '1h', callbackUrl: NOWHERE })
    await direct.create({ id: 'unwanted', after: '1h', callbackUrl: NOWHERE })
    proxy.loseAnswers(2)
    const timer = { after: '1h', callbackUrl: NOWHERE } as const
    const calls = [
      ...Array.from({ length: 20 }, (_, n) =>
        client.create({ ...timer, ...(n % 2 === 0 && { id: `t${n}` }), payload: n }),
      ),
      client.create({ ...timer, id: 'new', onConflict: 'reject' }),
      client.update('old', { payload: 'x', ifVersion: 1 }),
    ]
    const refused = client.create({ ...timer, id: 'taken', onConflict: 'reject', payload: 'other' })
    const canceled = client.cancel('unwanted')
    await assert.rejects(refused, withCode('TIMER_ALREADY_EXISTS'))
    await canceled
    const made = await Promise.all(calls)
    assert.equal(proxy.requests[0], '/api/v1/timers/batch')
    assert.deepEqual(new Set(made.map(({ version }) => version)), new Set([1, 2]))
    assert.equal((await direct.get('old')).version, 2)
    assert.equal((await direct.get('unwanted')).status, 'canceled')
    assert.equal((await direct.list().toArray()).length, 24)
  })

  test('an update and a cancel that were carried out are not taken for conflicts', async (t) => {
    const { proxy, client, direct } = await setup(t)
    const { version } = await direct.create({ id: 'a', after: '1h', callbackUrl: NOWHERE })
    proxy.loseAnswers(1)
    const updated = await client.update('a', { payload: { n: 2 }, ifVersion: version })
    assert.equal(updated.version, 2)
    proxy.loseAnswers(1)
    await assert.rejects(client.update('a', { payload: { n: 3 }, ifVersion: version }), withCode('VERSION_CONFLICT'))
    proxy.loseAnswers(1)
    await client.cancel('a', { ifVersion: updated.version })
    assert.equal((await direct.get('a')).status, 'canceled')
    proxy.loseAnswers(0)
    await assert.rejects(client.cancel('a'), withCode('TIMER_NOT_PENDING'))
  })

  test('a trigger is not repeated: the caller hears that its fate is not known', async (t) => {
    const receiver = await startReceiver(t)
    const { proxy, client, direct } = await setup(t)
    await direct.create({ id: 'a', every: '1h', callbackUrl: receiver.url })
    proxy.loseAnswers(1)
    await assert.rejects(
      client.trigger('a'),
      (error: DuetimeError) => error.code === 'NETWORK' && error.retryable && error.attempts === 1,
    )
    await receiver.received('a')
    assert.equal(proxy.requests.length, 1)
  })
})

suite('a service that is killed', () => {
  test(
    'calls outlive it: all are answered once it is back, and nothing is there twice',
    { timeout: 600_000 },
    async (t) => {
      const cwd = tempDir(t)
      const env = { TIMER_DB_PATH: 'timers.db' }
      let service = await startService(t, { cwd, env })
      const { url } = service
      const receiver = await startReceiver(t)
      const client = new Duetime({ url, timeoutMs: 300_000, retries: 100 })
      const expected = new Map<string, number>()
      const over = new AbortController()

      const work = async (worker: number) => {
        for (let n = 0; !over.signal.aborted; n++) {
          const id = `w${worker}-${n}`
          const onConflict = (['replace', 'reject', 'keep'] as const)[n % 3]!
          const timer = await client.create({ id, after: '1s', callbackUrl: receiver.url, payload: n, onConflict })
          expected.set(timer.id, n)
        }
      }
      const working = Promise.all([0, 1, 2, 3].map(work))
      for (let round = 0; round < 3; round++) {
        const before = expected.size
        await eventually('some more were created', () => expected.size > before + 10)
        await service.kill()
        service = new Service({ cwd, env: { ...env, PORT: new URL(url).port } })
        const current = service
        cleanUp(t, () => current.kill())
        await service.listening
      }
      over.abort()
      await working

      await eventually('all have fired', () => [...expected.keys()].every((id) => receiver.of(id).length > 0), {
        withinMs: 60_000,
      })
      const stored = await client.list().toArray()
      assert.deepEqual(stored.map(({ id }) => id).toSorted(), [...expected.keys()].toSorted())
      // A second firing would be a second delivery id; an attempt that the kill cut off has the same one again.
      for (const id of expected.keys()) {
        const firings = new Set(receiver.of(id).map(({ deliveryId }) => deliveryId))
        assert.equal(firings.size, 1, `${id} fired twice`)
      }
    },
  )

  test('a live stream is opened again when it is back', { timeout: 600_000 }, async (t) => {
    const place = { cwd: tempDir(t), env: { DATABASE_URL: 'memory:' } }
    const service = await startService(t, place)
    const { url } = service
    const connections: boolean[] = []
    for await (const { type } of new Duetime({ url }).live({
      onConnection: (isConnected) => void connections.push(isConnected),
    })) {
      assert.equal(type, 'overview')
      if (connections.length > 1) break
      if (!service.isAlive) continue
      await service.kill()
      await startService(t, { ...place, env: { ...place.env, PORT: new URL(url).port } })
    }
    assert.deepEqual([connections[0], connections.at(-1), connections.includes(false)], [true, true, true])
  })

  test('a call gives up when its time is over, and at once when it is aborted', async (t) => {
    const service = await startService(t, { cwd: tempDir(t), env: { DATABASE_URL: 'memory:' } })
    const { url } = service
    await service.kill()
    const client = new Duetime({ url })
    const isGivenUp = (error: DuetimeError) => error.code === 'NETWORK' && error.status === 0 && error.attempts > 1
    await assert.rejects(client.get('a', { timeoutMs: 2_000 }), isGivenUp)
    await assert.rejects(client.get('a', { retries: 0 }), (error: DuetimeError) => error.attempts === 1)
    const reason = new Error('no longer needed')
    await assert.rejects(client.get('a', { signal: AbortSignal.abort(reason) }), reason)
    const controller = new AbortController()
    const asked = client.get('a', { signal: controller.signal })
    controller.abort(reason)
    await assert.rejects(asked, reason)
  })
})
