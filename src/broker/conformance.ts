// What every broker must do, whoever made it: the contract of broker.ts as tests. An adapter's own test file calls this
// with a way to open a broker, and adds what only that adapter has.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext, TestOptions } from 'node:test'
import { BrokerError, headerOf } from './broker.ts'
import type { Broker, BrokerErrorReason, Delivery, Message, Publication, Reply, StreamSpec } from './broker.ts'

export type BrokerSetup = {
  /** Started, and connected. */
  readonly broker: Broker
  /** Asks as another client of the broker would. */
  readonly request: (message: Message) => Promise<Reply>
  /** Takes the broker away, and brings it back. */
  readonly disconnect: () => Promise<void>
  readonly connect: () => Promise<void>
}

type OpenBroker = (t: TestContext) => Promise<BrokerSetup>

const NO_HURRY = { timeoutMs: 10_000 }
const CONSUMER = { name: 'worker', subject: 'work.in', ackWaitMs: 2_000, batchMax: 100 }

function stream(changes: Partial<StreamSpec> = {}): StreamSpec {
  return { name: 'WORK', subject: 'work.in', keeps: 'log', maxAgeMs: null, duplicateWindowMs: 60_000, ...changes }
}

function message(data: string, changes: Partial<Publication> = {}): Publication {
  return { subject: 'work.in', headers: [], data, id: null, confirmedBy: 'stream', ...changes }
}

export function brokerConformance(name: string, options: TestOptions, open: OpenBroker): void {
  const check = (behaviour: string, run: (t: TestContext, setup: BrokerSetup) => Promise<void>): void => {
    test(`${name}: ${behaviour}`, options, async (t) => run(t, await open(t)))
  }

  check(
    'publishing while disconnected fails at once and keeps nothing for later',
    async (t, { broker, disconnect, connect }) => {
      broker.declare([stream()])
      await publishedSoon(broker, message('before'))
      const taken = takeAll(t, broker)
      await taken.until(1)
      await disconnect()
      await assert.rejects(broker.publish(message('meanwhile'), NO_HURRY), isBrokerError('disconnected'))
      assert.equal(broker.state.type, 'disconnected')
      await connect()
      await publishedSoon(broker, message('after'))
      await taken.until(2)
      assert.deepEqual(taken.texts(), ['before', 'after'])
    },
  )

  check('a publish that only a stream may confirm is refused where there is none', async (_t, { broker }) => {
    await assert.rejects(broker.publish(message('x', { subject: 'nowhere' }), NO_HURRY), isBrokerError('refused'))
    await broker.publish(message('x', { subject: 'nowhere', confirmedBy: 'any' }), NO_HURRY)
  })

  check('a publish whose signal is aborted rejects with its reason', async (_t, { broker }) => {
    const reason = new Error('stopping')
    await assert.rejects(
      broker.publish(message('x', { confirmedBy: 'any' }), { ...NO_HURRY, signal: AbortSignal.abort(reason) }),
      reason,
    )
  })

  check('of messages with one id the stream keeps the first', async (t, { broker }) => {
    broker.declare([stream()])
    for (const [data, id] of [
      ['one', 'a'],
      ['again', 'a'],
      ['two', 'b'],
      ['three', null],
      ['four', null],
    ] as const) {
      await publishedSoon(broker, message(data, { id }))
    }
    const taken = takeAll(t, broker)
    await taken.until(4)
    assert.deepEqual(taken.texts(), ['one', 'two', 'three', 'four'])
  })

  check('headers, subject and bytes arrive as they were sent', async (t, { broker }) => {
    broker.declare([stream({ subject: 'work.*' })])
    const data = Uint8Array.from({ length: 256 }, (_, byte) => byte)
    const headers = [
      ['X-One', 'a'],
      ['X-One', 'b'],
      ['Other', 'grüße'],
    ] as const
    await publishedSoon(broker, { subject: 'work.in', headers, data, id: 'm1', confirmedBy: 'stream' })
    const taken = takeAll(t, broker)
    await taken.until(1)
    const [first] = taken.all
    assert.deepEqual([...first!.data], [...data])
    assert.equal(first!.subject, 'work.in')
    assert.deepEqual(
      first!.headers.filter(([header]) => header !== 'Nats-Msg-Id'),
      headers,
    )
    assert.equal(headerOf(first!, 'nats-msg-id'), 'm1')
    assert.equal(first!.deliveries, 1)
  })

  check('what is given back comes again after its delay, and counts', async (t, { broker }) => {
    broker.declare([stream()])
    await publishedSoon(broker, message('hard'))
    const taken = takeAll(t, broker, (delivery) => (delivery.deliveries < 3 ? delivery.nak(50) : delivery.ack()))
    await taken.until(3)
    assert.deepEqual(
      taken.all.map(({ deliveries }) => deliveries),
      [1, 2, 3],
    )
    assert.equal(new Set(taken.all.map(({ origin }) => origin)).size, 1)
    assert.equal(new Set(taken.all.map(({ place }) => JSON.stringify(place))).size, 1)
  })

  check('what a handler leaves unsettled, or fails on, comes again', async (t, { broker }) => {
    broker.declare([stream()])
    await publishedSoon(broker, message('a'))
    const seen: number[] = []
    const done = Promise.withResolvers<void>()
    const consuming = broker.consume(CONSUMER, async ([delivery]) => {
      seen.push(delivery!.deliveries)
      if (seen.length === 1) return
      if (seen.length === 2) throw new Error('a defect')
      delivery!.ack()
      done.resolve()
    })
    t.after(() => consuming.stop())
    await done.promise
    assert.deepEqual(seen, [1, 2, 3])
  })

  check(
    'what is acknowledged does not come again, also not to the next consumer of the name',
    async (t, { broker }) => {
      broker.declare([stream()])
      for (const data of ['a', 'b']) await publishedSoon(broker, message(data))
      const first = takeAll(t, broker)
      await first.until(2)
      await first.stop()
      await publishedSoon(broker, message('c'))
      const second = takeAll(t, broker)
      await second.until(1)
      assert.deepEqual(second.texts(), ['c'])
      // In the order in which they were sent, also from one consumer to the next.
      const places = [...first.all, ...second.all].map(({ place }) => place)
      assert.equal(new Set(places.map((one) => one.stream)).size, 1)
      assert.deepEqual(
        places.map(({ sequence }) => sequence),
        places.map(({ sequence }) => sequence).toSorted((a, b) => a - b),
      )
    },
  )

  check('one batch is handled at a time, in order, and no batch is larger than asked for', async (t, { broker }) => {
    broker.declare([stream()])
    const texts = Array.from({ length: 25 }, (_, n) => String(n))
    for (const text of texts) await publishedSoon(broker, message(text))
    const seen: string[] = []
    const done = Promise.withResolvers<void>()
    let handling = 0
    const consuming = broker.consume({ ...CONSUMER, batchMax: 10 }, async (batch) => {
      assert.equal(++handling, 1)
      assert.ok(batch.length <= 10)
      await new Promise<void>((resolve) => setImmediate(resolve))
      for (const delivery of batch) {
        seen.push(textOf(delivery))
        delivery.ack()
      }
      handling--
      if (seen.length === texts.length) done.resolve()
    })
    t.after(() => consuming.stop())
    await done.promise
    assert.deepEqual(seen, texts)
  })

  check('consuming goes on after an outage', async (t, { broker, disconnect, connect }) => {
    broker.declare([stream()])
    await publishedSoon(broker, message('a'))
    const taken = takeAll(t, broker)
    await taken.until(1)
    await disconnect()
    await connect()
    await publishedSoon(broker, message('b'))
    await taken.until(2)
    assert.deepEqual(taken.texts(), ['a', 'b'])
  })

  check(
    'requests are answered with data and headers, also after an outage, and not after the stop',
    async (t, setup) => {
      const { broker, request, disconnect, connect } = setup
      const serving = broker.serve('ask.*', 'servers', async ({ subject, headers, data }) => ({
        headers: [['Echo', headerOf({ headers }, 'say') ?? '']],
        data: `${subject} ${Buffer.from(data).toString()}`,
      }))
      t.after(() => serving.stop())
      const ask = () => request({ subject: 'ask.time', headers: [['Say', 'hi']], data: Buffer.from('now') })
      const answer = await soon(ask)
      assert.equal(Buffer.from(answer.data as string).toString(), 'ask.time now')
      assert.equal(headerOf(answer, 'echo'), 'hi')
      await disconnect()
      await connect()
      await soon(ask)
      await serving.stop()
      await assert.rejects(ask())
    },
  )
}

function isBrokerError(reason: BrokerErrorReason): (error: unknown) => boolean {
  return (error) => error instanceof BrokerError && error.reason === reason
}

/** Streams are made in the background, and after an outage it takes a moment to connect: a client tries again too. */
async function publishedSoon(broker: Broker, publication: Publication): Promise<void> {
  await soon(() => broker.publish(publication, NO_HURRY))
}

async function soon<T>(attempt: () => Promise<T>): Promise<T> {
  for (let triesLeft = 1_000; ; triesLeft--) {
    try {
      return await attempt()
    } catch (error) {
      if (triesLeft === 0) throw error
      await new Promise<void>((resolve) => setTimeout(resolve, 10))
    }
  }
}

type Taken = {
  readonly all: readonly Delivery[]
  texts(): string[]
  until(count: number): Promise<void>
  stop(): Promise<void>
}

function takeAll(
  t: TestContext,
  broker: Broker,
  settle: (delivery: Delivery) => void = (delivery) => delivery.ack(),
): Taken {
  const all: Delivery[] = []
  const waiting: { count: number; resolve: () => void }[] = []
  const consuming = broker.consume(CONSUMER, async (batch) => {
    for (const delivery of batch) {
      all.push(delivery)
      settle(delivery)
    }
    for (const { count, resolve } of waiting) if (all.length >= count) resolve()
  })
  t.after(() => consuming.stop())
  return {
    all,
    texts: () => all.map(textOf),
    until: (count) => new Promise((resolve) => (all.length >= count ? resolve() : waiting.push({ count, resolve }))),
    stop: () => consuming.stop(),
  }
}

function textOf({ data }: Message): string {
  return Buffer.from(data).toString()
}
