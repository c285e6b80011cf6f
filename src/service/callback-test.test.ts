import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MemoryBroker } from '../broker/memory/memory-broker.ts'
import type { DeliveryOutcome, Firing } from '../core/timer/delivery.ts'
import { SubjectPatterns } from '../core/timer/subject.ts'
import type { Target } from '../core/targets/target.ts'
import type { JsonText, Namespace } from '../core/timer/timer.ts'
import { systemClock } from '../runtime/clock/clock.ts'
import { ManualClock } from '../runtime/clock/manual-clock.ts'
import { NatsTarget } from '../targets/nats/nats-target.ts'
import { payloadProtocol } from '../targets/nats/protocol.ts'
import type { TargetAdapter } from '../targets/target.ts'
import { CallbackTests, TEST_PROTOCOL } from './callback-test.ts'

const HTTP: Target = { type: 'http', url: 'http://127.0.0.1:9/', headers: null }
const TEST = { namespace: 'a' as Namespace, target: HTTP, payload: '1' as JsonText, metadata: null, timeoutMs: 60_000 }

/** Answers when told to. */
class HeldTarget implements TargetAdapter {
  readonly type = 'http'
  readonly firings: Firing[] = []
  readonly #release: ((outcome: DeliveryOutcome) => void)[] = []

  destinationOf(): string {
    return 'one'
  }

  deliver(firing: Firing, signal: AbortSignal): Promise<DeliveryOutcome> {
    this.firings.push(firing)
    return new Promise((resolve, reject) => {
      this.#release.push(resolve)
      signal.addEventListener('abort', () => reject(signal.reason))
    })
  }

  release(): void {
    for (const resolve of this.#release.splice(0)) resolve({ type: 'delivered', statusCode: 200 })
  }

  async close(): Promise<void> {}
}

function setup() {
  const [clock, target] = [new ManualClock(), new HeldTarget()]
  return { clock, target, tests: new CallbackTests({ targets: [target], clock, answerTo: () => null }) }
}

test('a key that tests all it can leaves room for the others', async () => {
  const { target, tests } = setup()
  const running = Array.from({ length: 10 }, () => tests.run(TEST, 'greedy'))
  await assert.rejects(tests.run(TEST, 'greedy'), { code: 'UNAVAILABLE' })
  const other = Array.from({ length: 3 }, () => tests.run(TEST, 'other'))
  target.release()
  const tested = await Promise.all([...running, ...other])
  assert.ok(tested.every(({ outcome }) => outcome.type === 'delivered'))
})

test('beyond ten at once a test is refused, until one has ended', async () => {
  const { target, tests } = setup()
  const running = Array.from({ length: 10 }, () => tests.run(TEST, 'key'))
  await assert.rejects(tests.run(TEST, 'key'), { code: 'UNAVAILABLE' })
  target.release()
  await Promise.all(running)
  const next = tests.run(TEST, 'key')
  target.release()
  assert.equal((await next).outcome.type, 'delivered')
})

test('closing ends what is under way', async () => {
  const { tests } = setup()
  const running = tests.run(TEST, 'key')
  await tests.close()
  await assert.rejects(running, { code: 'UNAVAILABLE' })
})

test('a kind of target that is not configured is a failed delivery that says so', async () => {
  const { tests } = setup()
  const { outcome } = await tests.run(
    { ...TEST, target: { type: 'nats', topic: 'x', key: null, headers: null } },
    'key',
  )
  assert.match(outcome.type === 'failed' ? outcome.error : '', /no nats connection/)
})

test('it is delivered as the first attempt of a timer that is due now, with at most ten seconds', async () => {
  const { clock, target, tests } = setup()
  const running = tests.run(TEST, 'key')
  await clock.advance(40)
  target.release()
  const { durationMs, deliveryId } = await running
  const [{ timer, attempt, ...firing }] = target.firings as [Firing]
  assert.deepEqual(
    [timer.timeoutMs, timer.payload, timer.namespace, attempt, timer.dueAt],
    [10_000, '1', 'a', 1, firing.firedAt],
  )
  assert.match(timer.id, /^callback-test-/)
  assert.deepEqual([durationMs, deliveryId], [40, firing.deliveryId])
})

test('over NATS it is published, with its delivery id as the message id', async () => {
  const broker = new MemoryBroker(systemClock)
  await broker.start()
  const rules = { namespacePrefix: null, own: new SubjectPatterns([]), allowed: null }
  const targets = [new NatsTarget({ broker, protocols: [payloadProtocol(TEST_PROTOCOL)], rules })]
  const tests = new CallbackTests({ targets, clock: systemClock, answerTo: () => null })
  const { outcome, answer, deliveryId } = await tests.run(
    { ...TEST, target: { type: 'nats', topic: 'orders', key: 'eu', headers: null } },
    'key',
  )
  assert.deepEqual([outcome, answer], [{ type: 'delivered', statusCode: null }, null])
  const [message] = broker.uncovered
  assert.deepEqual([message!.subject, Buffer.from(message!.data).toString()], ['orders.eu', '1'])
  assert.ok(message!.headers.some(([name, value]) => name === 'Nats-Msg-Id' && value === deliveryId))
})
