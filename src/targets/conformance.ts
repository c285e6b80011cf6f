// What every target must do, whatever it delivers to: the contract of target.ts as tests. An adapter's own test file calls
// this with receivers that behave in the ways it knows, and adds what only that adapter has.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import type { DeliveryOutcome, Firing } from '../core/timer/delivery.ts'
import type { ManualClock } from '../runtime/clock/manual-clock.ts'
import type { TargetAdapter } from './target.ts'

/** What a receiver can do with a delivery. Not every target knows all of them. */
export type ReceiverBehaviour =
  | 'accepts'
  /** The next attempt may succeed. */
  | 'fails'
  /** No further attempt makes sense. */
  | 'refuses'
  | 'reschedules'
  /** It takes the delivery and does not answer. */
  | 'silent'

export type TargetSetup = {
  readonly adapter: TargetAdapter
  /** The adapter's. */
  readonly clock: ManualClock
  readonly firing: Firing
  /** Resolves when the receiver has a delivery; only asked of silent ones. */
  readonly arrived: Promise<unknown>
}

type Receivers = { readonly [Behaviour in ReceiverBehaviour]?: (t: TestContext) => Promise<TargetSetup> }

const NOT_ABORTED = new AbortController().signal

export function targetConformance(name: string, receivers: Receivers & Required<Pick<Receivers, 'accepts'>>): void {
  const check = (behaviour: ReceiverBehaviour, sentence: string, run: (setup: TargetSetup) => Promise<void>): void => {
    const open = receivers[behaviour]
    if (open !== undefined) test(`${name} target: ${sentence}`, async (t) => run(await open(t)))
  }
  const ends = (behaviour: ReceiverBehaviour, sentence: string, isRight: (outcome: DeliveryOutcome) => boolean): void =>
    check(behaviour, sentence, async ({ adapter, firing, clock }) => {
      const outcome = await adapter.deliver(firing, NOT_ABORTED)
      assert.ok(isRight(outcome), JSON.stringify(outcome))
      assert.equal(clock.waiting, 0, 'no time limit is left behind')
    })

  ends('fails', 'a receiver that fails is an outcome that can be read and tried again', isRetryable)
  ends('refuses', 'a receiver that never wants it is a final failure', (outcome) => {
    return outcome.type === 'failed' && outcome.final && outcome.error !== ''
  })
  ends('reschedules', 'a receiver can ask to be called again at another time', (outcome) => {
    return outcome.type === 'rescheduled' && Number.isSafeInteger(outcome.nextAt)
  })
  ends('accepts', 'a receiver that takes the delivery is delivered to', ({ type }) => type === 'delivered')

  check('accepts', 'its own kind of target is not refused, and has one destination', async ({ adapter, firing }) => {
    const { target, protocol, namespace } = firing.timer
    assert.equal(adapter.type, target.type)
    assert.equal(adapter.refuse?.({ target, protocol }, namespace) ?? null, null)
    assert.equal(adapter.destinationOf(target, namespace), adapter.destinationOf({ ...target }, namespace))
  })

  check('accepts', 'after it was closed, closing it again does nothing', async ({ adapter, firing }) => {
    await adapter.deliver(firing, NOT_ABORTED)
    await adapter.close()
    await adapter.close()
  })

  check('silent', 'a silent receiver costs the time limit and is tried again', async (setup) => {
    const { adapter, firing, clock, arrived } = setup
    const { settled, delivery } = underWay(adapter, firing, NOT_ABORTED)
    await arrived
    await clock.advance(firing.timer.timeoutMs - 1)
    assert.equal(settled(), false, 'it is given all of its time')
    await clock.advance(1)
    const outcome = await delivery
    assert.ok(isRetryable(outcome), JSON.stringify(outcome))
    assert.equal(clock.waiting, 0, 'no time limit is left behind')
  })

  check('silent', 'an abort ends what is under way with its reason', async ({ adapter, firing, clock, arrived }) => {
    const stopping = new AbortController()
    const { delivery } = underWay(adapter, firing, stopping.signal)
    await arrived
    const reason = new Error('stopping')
    stopping.abort(reason)
    await assert.rejects(delivery, reason)
    await soon(() => clock.waiting === 0, 'no time limit is left behind')
    await assert.rejects(adapter.deliver(firing, stopping.signal), reason)
  })

  check('silent', 'closing it while a delivery is under way leaves that one to its signal', async (setup) => {
    const { adapter, firing, arrived } = setup
    const stopping = new AbortController()
    const { delivery, settled } = underWay(adapter, firing, stopping.signal)
    await arrived
    const closing = adapter.close()
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(settled(), false)
    const reason = new Error('its grace is over')
    stopping.abort(reason)
    await assert.rejects(delivery, reason)
    await closing
  })
}

const TURNS_MAX = 1_000

/** What another thread does about it takes it a moment. */
async function soon(isSo: () => boolean, what: string): Promise<void> {
  for (let turn = 0; turn < TURNS_MAX && !isSo(); turn++) await new Promise((resolve) => setImmediate(resolve))
  assert.ok(isSo(), what)
}

function isRetryable(outcome: DeliveryOutcome): boolean {
  return outcome.type === 'failed' && !outcome.final && outcome.error !== ''
}

function underWay(adapter: TargetAdapter, firing: Firing, signal: AbortSignal) {
  let isSettled = false
  const delivery = adapter.deliver(firing, signal)
  const settle = () => (isSettled = true)
  delivery.then(settle, settle)
  return { delivery, settled: () => isSettled }
}
