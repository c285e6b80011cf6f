// What happens when the last iteration is not over, through the whole service. It is 2029-12-01T12:00:00Z. The receiver answers
// when the test says so.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { TestContext } from 'node:test'
import type { DeliveryOutcome, Firing } from '../../../core/timer/delivery.ts'
import type { TargetAdapter } from '../../../targets/target.ts'
import { MemoryStore } from '../../../store/memory/memory-store.ts'
import { REFUSED } from '../../test-server.fixture.ts'
import { HOOK, setup } from './v1.fixture.ts'

const MINUTE = 60_000
const OK: DeliveryOutcome = { type: 'delivered', statusCode: 200 }

type Shown = {
  readonly status: string
  readonly iteration: number
  readonly skipped?: number
  readonly running?: readonly { iteration: number; attemptCount: number; nextAttemptAt?: string; deliveryId: string }[]
  readonly attempts: readonly { iteration?: number; outcome: string }[]
}

async function held(t: TestContext, store = new MemoryStore()) {
  const firings: (Firing & { answer: (outcome: DeliveryOutcome) => void })[] = []
  const target: TargetAdapter = {
    type: 'http',
    destinationOf: ({ type }) => type,
    deliver: (firing, signal) =>
      new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error))
        firings.push({ ...firing, answer: resolve })
      }),
    close: async () => {},
  }
  // What is still under way at the end of a test would keep the node from stopping.
  t.after(() => firings.forEach((firing) => firing.answer(OK)))
  const server = await setup(t, { target: () => target, store })
  const create = async (body: object) => {
    const answer = await server.call('create', { id: 'a', schedule: 'R/PT1M', callbackUrl: HOOK, ...body })
    assert.equal(answer.status, 200, answer.text)
  }
  const get = async () => (await server.call('get', { timerId: 'a' })).json as unknown as Shown
  const answer = async (index: number, outcome = OK) => {
    firings[index]!.answer(outcome)
    await server.clock.advance(0)
  }
  const told = () => firings.map(({ timer, attempt }) => `${timer.iteration}.${attempt}`).join(' ')
  return { ...server, store, firings, create, get, answer, told }
}

suite('overlap: allow', () => {
  test('each iteration is delivered at its time, however many others are not over', async (t) => {
    const { create, clock, get, answer, told, firings } = await held(t)
    await create({ overlap: 'allow' })
    for (let minute = 0; minute < 3; minute++) await clock.advance(MINUTE)
    assert.equal(told(), '1.1 2.1 3.1')
    assert.equal(new Set(firings.map(({ deliveryId }) => deliveryId)).size, 3)
    const { status, iteration, running } = await get()
    assert.deepEqual([status, iteration, running?.map((one) => one.iteration)], ['pending', 4, [1, 2, 3]])
    assert.deepEqual(
      running?.map(({ deliveryId }) => deliveryId),
      firings.map(({ deliveryId }) => deliveryId),
    )
    await answer(1)
    await answer(0)
    const after = await get()
    assert.deepEqual(
      after.running?.map((one) => one.iteration),
      [3],
    )
    assert.deepEqual(
      after.attempts.map((one) => one.iteration),
      [2, 1],
    )
    await answer(2)
    assert.equal((await get()).running, undefined)
  })

  test('an iteration that failed is tried again beside those that follow, under its own delivery id', async (t) => {
    const { create, clock, get, answer, told, firings } = await held(t)
    await create({ overlap: 'allow', retryPolicy: { maxRetries: 2, initialInterval: '150s', maxInterval: '150s' } })
    await clock.advance(MINUTE)
    await answer(0, REFUSED)
    assert.equal((await get()).running?.[0]?.attemptCount, 1)
    for (let minute = 0; minute < 2; minute++) await clock.advance(MINUTE)
    assert.equal(told(), '1.1 2.1 3.1')
    await clock.advance(MINUTE)
    assert.equal(told(), '1.1 2.1 3.1 1.2 4.1')
    assert.equal(firings[3]!.deliveryId, firings[0]!.deliveryId)
    await answer(3)
    assert.deepEqual(
      (await get()).running?.map((one) => one.iteration),
      [2, 3, 4],
    )
  })

  test('a cancel ends all of them: no retry starts, and what was under way changes nothing', async (t) => {
    const { create, clock, get, answer, told, call } = await held(t)
    await create({ overlap: 'allow' })
    await clock.advance(MINUTE)
    await clock.advance(MINUTE)
    await answer(0, REFUSED)
    const canceled = await call('delete', { timerId: 'a' })
    assert.equal(canceled.status, 204, canceled.text)
    await answer(1, REFUSED)
    await clock.advance(60 * MINUTE)
    assert.equal(told(), '1.1 2.1')
    assert.deepEqual([(await get()).status, (await get()).running], ['canceled', undefined])
  })

  test('while the timer is paused nothing starts, and retries go on when it resumes', async (t) => {
    const { create, clock, answer, told, call } = await held(t)
    await create({ overlap: 'allow' })
    await clock.advance(MINUTE)
    await answer(0, REFUSED)
    await call('pause', { timerId: 'a' })
    await clock.advance(30 * MINUTE)
    assert.equal(told(), '1.1')
    await call('resume', { timerId: 'a' })
    await clock.advance(0)
    assert.deepEqual(told().split(' ').toSorted(), ['1.1', '1.2', '31.1'])
  })

  test('the timer completes with the last of them', async (t) => {
    const { create, clock, get, answer } = await held(t)
    await create({ schedule: 'R2/PT1M', overlap: 'allow' })
    await clock.advance(MINUTE)
    await clock.advance(MINUTE)
    await answer(1)
    assert.deepEqual([(await get()).status, (await get()).running?.length], ['pending', 1])
    await answer(0)
    assert.deepEqual([(await get()).status, (await get()).running], ['completed', undefined])
  })

  test('the receiver moves one of them, and the others stay', async (t) => {
    const { create, clock, get, answer, told } = await held(t)
    await create({ overlap: 'allow' })
    await clock.advance(MINUTE)
    await answer(0, { type: 'rescheduled', nextAt: clock.now() + 90_000, statusCode: 200 })
    await clock.advance(MINUTE)
    assert.equal(told(), '1.1 2.1')
    await clock.advance(30_000)
    assert.equal(told(), '1.1 2.1 1.1')
    await answer(2)
    assert.deepEqual(
      (await get()).running?.map((one) => one.iteration),
      [2],
    )
  })

  test('no more than a hundred run at once; the next waits for the end of one', async (t) => {
    const { create, clock, answer, firings, told } = await held(t)
    await create({ overlap: 'allow', retryPolicy: { maxRetries: 1, initialInterval: '200m', maxInterval: '200m' } })
    for (let minute = 0; minute < 103; minute++) {
      await clock.advance(MINUTE)
      if (minute < 100) await answer(minute, REFUSED)
    }
    assert.equal(firings.length, 100)
    while (firings.length === 100) await clock.advance(MINUTE)
    const tried = firings.findIndex(({ attempt }) => attempt === 2)
    await answer(tried)
    assert.match(told(), / 101\.1$/)
  })

  test('whoever owns the timer next goes on with all of them, and only with those', async (t) => {
    const store = new MemoryStore()
    const first = await held(t, store)
    await first.create({ overlap: 'allow' })
    for (let minute = 0; minute < 3; minute++) await first.clock.advance(MINUTE)
    await first.answer(1)
    await first.close()
    const stopped = first.stop()
    await first.clock.advance(1)
    await stopped
    const second = await held(t, store)
    await second.clock.advance(3 * MINUTE)
    assert.deepEqual(second.told().split(' ').toSorted(), ['1.1', '3.1'])
    const ids = (firings: readonly Firing[]) => firings.map(({ deliveryId }) => deliveryId).toSorted()
    assert.deepEqual(ids(second.firings), ids([first.firings[0]!, first.firings[2]!]))
  })
})

suite('what overlap leaves out is counted', () => {
  for (const [overlap, delivered, skipped] of [
    ['skip', '1.1 6.1', 4],
    ['queue', '1.1 5.1', 3],
  ] as const) {
    test(`overlap: ${overlap}`, async (t) => {
      const { create, clock, answer, told, get } = await held(t)
      await create({ overlap, callbackTimeout: '5m' })
      for (let minute = 0; minute < 5; minute++) await clock.advance(MINUTE)
      await clock.advance(30_000)
      await answer(0)
      await clock.advance(30_000)
      assert.equal(told(), delivered)
      assert.equal((await get()).skipped, skipped)
    })
  }
})
