// Questions of many askers to a store that answers when the test says so.

import assert from 'node:assert/strict'
import { setImmediate as turn } from 'node:timers/promises'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { ANONYMOUS, Permission } from '../../core/access/access.ts'
import type { NamespacePattern, Principal } from '../../core/access/access.ts'
import type { Namespace, TimerId } from '../../core/timer/timer.ts'
import { testEngine } from '../../engine/test-engine.fixture.ts'
import { ManualClock } from '../../runtime/clock/manual-clock.ts'
import { MemoryStore } from '../../store/memory/memory-store.ts'
import { StoreError } from '../../store/store.ts'
import type { Store } from '../../store/store.ts'
import { NoneTarget } from '../../targets/none/none-target.ts'
import { QueryGate } from './query-gate.ts'
import type { Queries } from './query-gate.ts'
import { TimerService } from '../timer-service.ts'
import type { Timers } from '../timers.ts'

const QUESTIONS = new Set<string | symbol>(['list', 'page', 'stats', 'tallies', 'upcoming'])

type Question = {
  readonly namespace: string
  readonly answer: () => void
  readonly fail: (error: Error) => void
}

/** A store that answers questions when the test says so. `asked`: what it was asked, and has not answered, in order. */
function heldStore(): { readonly store: Store; readonly asked: Question[] } {
  const asked: Question[] = []
  const real: Store = new MemoryStore()
  const store = new Proxy(real, {
    get(target, property) {
      const member = Reflect.get(target, property) as unknown
      if (typeof member !== 'function') return member
      const call = member.bind(target) as (argument: unknown) => Promise<unknown>
      if (!QUESTIONS.has(property)) return call
      return (argument: { readonly namespace?: string; readonly filter?: { readonly namespace?: string } }) =>
        new Promise((resolve, reject) => {
          const end = () => void asked.splice(asked.indexOf(question), 1)
          const question: Question = {
            namespace: argument.namespace ?? argument.filter?.namespace ?? '*',
            answer: () => {
              end()
              resolve(call(argument))
            },
            fail: (error) => {
              end()
              reject(error)
            },
          }
          asked.push(question)
        })
    },
  })
  return { store, asked }
}

function setup(t: TestContext) {
  const { store, asked } = heldStore()
  const clock = new ManualClock()
  const engine = testEngine({ store: new MemoryStore(), clock, targets: [new NoneTarget()] })
  const service = new TimerService({
    engine,
    store,
    clock,
    namespaces: [],
    refuseTarget: () => null,
    observer: { executed() {} },
  })
  t.after(() => answerAll(asked))
  return { service, asked, as: (name: string) => service.as(keyFor(name)) }
}

function keyFor(name: string): Principal {
  const namespaces = [`${name}*` as NamespacePattern]
  return { name, permissions: new Set([Permission.read]), namespaces, rateLimit: null }
}

async function answerAll(asked: Question[]): Promise<void> {
  do {
    asked[0]?.answer()
    await turn()
  } while (asked.length > 0)
}

const listOf = (timers: Timers, namespace: string) =>
  timers.list({ filter: { namespace: namespace as Namespace }, after: null, limit: 10 })
const pageOf = (timers: Timers, namespace: string) =>
  timers.page({
    filter: { namespace: namespace as Namespace },
    sort: 'dueAt',
    descending: false,
    offset: 0,
    limit: 10,
  })
const namespacesOf = (asked: readonly Question[]) => asked.map(({ namespace }) => namespace)

test('the page of one key is asked for at once although another key waits for thirty', async (t) => {
  const { as, asked } = setup(t)
  const many = Array.from({ length: 30 }, () => pageOf(as('greedy'), 'greedy'))
  await turn()
  const one = pageOf(as('small'), 'small')
  await turn()
  assert.ok(namespacesOf(asked).indexOf('small') <= 2, namespacesOf(asked).join())
  asked.find(({ namespace }) => namespace === 'small')!.answer()
  await one
  await answerAll(asked)
  assert.equal((await Promise.all(many)).length, 30)
})

const WAYS: Readonly<Record<string, (timers: Timers, namespace: Namespace) => Promise<unknown>>> = {
  list: listOf,
  page: pageOf,
  search: (timers, namespace) =>
    timers.search({ namespace, text: 'x' as TimerId, sort: 'dueAt', descending: false, offset: 0, limit: 10 }),
  stats: (timers, namespace) => timers.stats({ namespace }),
  statistics: (timers, namespace) => timers.statistics({ namespace, periodMs: null }),
  forecast: (timers, namespace) => timers.forecast({ namespace, stepMs: 60_000, steps: 60 }),
  cancelMany: (timers, namespace) => timers.cancelMany({ namespace }, { dryRun: true }),
  retryMany: (timers, namespace) => timers.retryMany({ namespace }, { dryRun: true }),
}

for (const [name, ask] of Object.entries(WAYS)) {
  test(`however many times one key asks at once, the store has a few questions of it: ${name}`, async (t) => {
    const { as, asked } = setup(t)
    const answers = Promise.all(Array.from({ length: 12 }, () => ask(as('greedy'), 'greedy' as Namespace)))
    do {
      await turn()
      assert.ok(asked.length <= 2, `${asked.length} at once`)
      asked[0]?.answer()
      await turn()
    } while (asked.length > 0)
    await answers
  })
}

test('keys take turns, however many questions each of them has', async (t) => {
  const { as, asked } = setup(t)
  const keys = ['a', 'b', 'c', 'd', 'e', 'f']
  const answers = keys.map((key, index) =>
    Promise.all(Array.from({ length: 20 - 3 * index }, () => listOf(as(key), key))),
  )
  await turn()
  const seen: string[] = []
  while (asked.length > 0) {
    assert.ok(asked.length <= 8, 'the store is asked a bounded number of questions at a time')
    seen.push(asked[0]!.namespace)
    asked[0]!.answer()
    await turn()
  }
  await Promise.all(answers)
  // The first eight are of the first four keys; from then on each has its turn.
  for (const key of keys) assert.ok(seen.lastIndexOf(key) >= 0 && seen.indexOf(key) <= 12, `${key}: ${seen.join('')}`)
  const shortest = seen.lastIndexOf('f')
  const before = (key: string) => seen.slice(0, shortest).filter((one) => one === key).length
  for (const key of ['a', 'b', 'c', 'd', 'e'])
    assert.ok(before(key) <= 5 + 3, `${key}: ${before(key)} before f's fifth`)
})

test('namespaces take turns where everybody asks with the same key, or with none', async (t) => {
  const { service, asked } = setup(t)
  const timers = service.as(ANONYMOUS)
  const many = Array.from({ length: 30 }, () => pageOf(timers, 'loud'))
  await turn()
  const few = [pageOf(timers, 'calm'), pageOf(timers, 'still')]
  await turn()
  const seen: string[] = []
  while (seen.length < 6) {
    seen.push(asked[0]!.namespace)
    asked[0]!.answer()
    await turn()
  }
  assert.deepEqual(seen.slice(0, 2), ['loud', 'loud'], 'these were being asked already')
  assert.ok(seen.includes('calm') && seen.includes('still'), seen.join())
  await answerAll(asked)
  await Promise.all([...many, ...few])
})

test('who has too many questions waiting is told to come again; the namespace with the most gives way to one with few', async (t) => {
  const { service, as, asked } = setup(t)
  const timers = service.as(ANONYMOUS)
  const many = Array.from({ length: 130 }, () => listOf(timers, 'loud'))
  const outcomes = Promise.allSettled(many)
  await turn()
  await assert.rejects(listOf(timers, 'loud'), {
    code: 'UNAVAILABLE',
    message: /'anonymous' has 128 questions waiting/,
    details: { retryAfterMs: 1_000 },
  })
  const calm = listOf(timers, 'calm')
  const other = listOf(as('key'), 'key')
  await turn()
  assert.deepEqual(namespacesOf(asked), ['loud', 'loud', 'key'], 'another key has a queue of its own')
  asked[0]!.answer()
  asked[0]!.answer()
  await turn()
  assert.ok(namespacesOf(asked).includes('calm'), namespacesOf(asked).join())
  await answerAll(asked)
  await Promise.all([calm, other])
  const refused = (await outcomes).flatMap((outcome, index) => (outcome.status === 'rejected' ? [index] : []))
  assert.deepEqual(refused, [129], 'the last one that came')
})

test('a question that fails leaves its turn to the next', async (t) => {
  const { as, asked } = setup(t)
  const answers = Promise.allSettled(Array.from({ length: 5 }, () => listOf(as('k'), 'k')))
  for (let n = 0; n < 5; n++) {
    await turn()
    asked[0]!.fail(new StoreError('the connection was lost'))
  }
  assert.ok((await answers).every(({ status }) => status === 'rejected'))
})

const MIB = 1_024 * 1_024
const NO_QUERIES = {} as Queries

test('a key cannot take the memory that is left for the others', () => {
  const gate = new QueryGate(NO_QUERIES, { listBytesMax: 3 * MIB, listBytesPerKeyMax: 2 * MIB, payloadMaxBytes: 1 })
  gate.beginAnswer('a')
  gate.beginAnswer('a')
  assert.throws(() => gate.beginAnswer('a'), /the key 'a' has 2 lists under way.*LIST_BYTES_PER_KEY_MAX/)
  gate.beginAnswer('b')
  assert.throws(() => gate.beginAnswer('c'), /3 lists are under way.*LIST_BYTES_MAX/)
  gate.endAnswer('a')
  gate.beginAnswer('c')
})

test('where one payload may be larger than a page, so is what is set aside; one list can always be read', () => {
  const gate = new QueryGate(NO_QUERIES, { listBytesMax: 8 * MIB, listBytesPerKeyMax: MIB, payloadMaxBytes: 4 * MIB })
  gate.beginAnswer('a')
  assert.throws(() => gate.beginAnswer('a'))
  gate.beginAnswer('b')
  assert.throws(() => gate.beginAnswer('c'))
})
