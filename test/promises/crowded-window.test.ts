// On the dot while memory holds little: a window that is full of large payloads, of deliveries under way or of somebody's
// backlog. Whoever is due next has the room, whatever namespace it is of.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonText, Timer } from '../../src/core/timer/timer.ts'
import { sleep } from '../../src/runtime/clock/clock.ts'
import { ManualClock } from '../../src/runtime/clock/manual-clock.ts'
import { MemoryStore } from '../../src/store/memory/memory-store.ts'
import type { DueScan } from '../../src/store/store.ts'
import { SeededRandom } from '../support/seeded-random.ts'
import { createCommand, gate, OK, TestNode } from './node-fixture.ts'

const READ_MS = 2
/** What one of 64 shards has of a node's memory. */
const WINDOW = { timersMax: 312, bytesMax: 2 ** 20, pageSize: 156 }
const LARGE = JSON.stringify('x'.repeat(100_000)) as JsonText // ten of them fill the window
const at = (ms: number): string => new Date(ms).toISOString()

/** Pages take their time, as those of a server do. */
class DistantStore extends MemoryStore {
  readonly #clock: ManualClock

  constructor(clock: ManualClock) {
    super()
    this.#clock = clock
  }

  override async due(scan: DueScan): Promise<readonly Timer[]> {
    const rows = await super.due(scan)
    await sleep(this.#clock, READ_MS)
    return rows
  }
}

async function setup(deliveries = { total: 1_024, perNamespace: 512, perTarget: 256 }) {
  const clock = new ManualClock(undefined, { maxWaitMs: Infinity })
  const starting = TestNode.start({ clock, store: new DistantStore(clock), window: WINDOW, deliveries })
  await clock.advance(100)
  const node = await starting
  const lateOf = (namespace: RegExp): string[] =>
    node.receiver.arrivals.flatMap(({ at: arrivedAt, firing: { timer } }) =>
      namespace.test(timer.namespace) && arrivedAt > timer.dueAt
        ? [`${timer.namespace}/${timer.id} by ${arrivedAt - timer.dueAt} ms`]
        : [],
    )
  return { clock, node, lateOf }
}

for (const namespaces of [1, 3, 20]) {
  test(`timers of ${namespaces} namespaces with large payloads, and a burst of one of them, are all on the dot`, async () => {
    const { clock, node, lateOf } = await setup()
    const random = new SeededRandom(namespaces)
    const startAt = clock.now()
    const commands = [
      ...Array.from({ length: 600 }, (_, n) =>
        createCommand(`steady ${n}`, at(startAt + 5_000 + n * 100), {
          namespace: `n${n % namespaces}`,
          payload: LARGE,
        }),
      ),
      ...Array.from({ length: 30 }, (_, n) =>
        createCommand(`burst ${n}`, at(startAt + 10_000 + random.between(0, 5_000)), {
          namespace: 'n0',
          payload: LARGE,
        }),
      ),
    ]
    const creating = Promise.all(commands.map((command) => node.service.execute(command)))
    await clock.advance(1_000)
    await creating
    await clock.advance(120_000)
    assert.equal(node.receiver.arrivals.length, commands.length)
    assert.deepEqual(lateOf(/./), [])
  })
}

test('deliveries that hang, and fill a whole window, make no other namespace late', async () => {
  const { clock, node, lateOf } = await setup()
  node.receiver.answer = ({ timer }) => (timer.namespace === 'hangs' ? new Promise(() => {}) : OK)
  const startAt = clock.now()
  for (let n = 0; n < 40; n++)
    await node.create(`h${n}`, at(startAt + 1_000 + n * 50), { namespace: 'hangs', payload: LARGE })
  for (let n = 0; n < 100; n++)
    await node.create(`c${n}`, at(startAt + 2_000 + n * 100), { namespace: 'calm', payload: LARGE })
  await clock.advance(20_000)
  assert.equal(node.receiver.arrivals.length, 140)
  assert.deepEqual(lateOf(/./), [])
})

test('what is due and has a free slot does not wait outside for timers that are due later', async () => {
  const { clock, node, lateOf } = await setup({ total: 100, perNamespace: 60, perTarget: 5 })
  const host = gate()
  node.receiver.answer = ({ timer }) => (timer.id.startsWith('hanging') ? host.closed.then(() => OK) : OK)
  const startAt = clock.now()
  const create = (id: string, namespace: string, inMs: number, to: string) =>
    node.create(id, at(startAt + inMs), { namespace, payload: LARGE, host: to })
  for (let n = 0; n < 30; n++) await create(`hanging ${n}`, 'backlog', 1_000 + n, 'hanging-host')
  for (let n = 0; n < 200; n++) await create(`calm ${n}`, `calm-${n % 7}`, 5_000 + n * 100, 'good-host')
  await clock.advance(10_000)
  host.open()
  await clock.advance(1_000)
  assert.equal(
    node.receiver.ids().filter((id) => id.startsWith('hanging')).length,
    30,
    'its backlog is delivered as soon as its host answers',
  )
  await clock.advance(60_000)
  assert.equal(node.receiver.arrivals.length, 230)
  assert.deepEqual(lateOf(/calm/), [])
})
