import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { Epoch, ShardId, TimerId } from '../../core/timer/timer.ts'
import { ManualClock } from '../../runtime/clock/manual-clock.ts'
import { sampleTimer } from '../../store/conformance/sample-timer.ts'
import { StoreError } from '../../store/store.ts'
import type { CommitPart, PartMax, PartResult, Put, Store } from '../../store/store.ts'
import { CommitQueue } from './commit-queue.ts'
import type { PutResult } from './commit-queue.ts'

type Commit = {
  readonly parts: readonly CommitPart[]
  resolve(results: readonly PartResult[]): void
  reject(error: unknown): void
}

const SHARD = 0 as ShardId
const EPOCH = 1 as Epoch
const CAPABILITIES = { name: 'test', shared: false, backup: false, shards: 1 }
const WRITTEN: PartResult = { type: 'written' }
const put = (id: string): Put => ({ before: null, after: sampleTimer({ id: id as TimerId }) })
const idsOf = (commit: Commit | undefined): string[][] =>
  commit!.parts.map(({ puts }) => puts.map(({ after }) => after.id))

/** A store whose commits end when the test says so. */
function setup({ partMax, ...limits }: { lengthMax?: number; batchMax?: number; partMax?: PartMax } = {}) {
  const commits: Commit[] = []
  const store: Pick<Store, 'capabilities' | 'commit'> = {
    capabilities: { ...CAPABILITIES, ...(partMax !== undefined && { partMax }) },
    commit: (parts) => new Promise((resolve, reject) => commits.push({ parts, resolve, reject })),
  }
  const clock = new ManualClock()
  const observed: [number, number][] = []
  const queue = new CommitQueue({
    store,
    owner: 'a',
    clock,
    observer: { committed: (puts, ms) => observed.push([puts, ms]) },
    lengthMax: 1_000,
    batchMax: 1_000,
    ...limits,
  })
  const results = new Map<string, PutResult | Error>()
  const write = (id: string, shard = SHARD, epoch = EPOCH): void => {
    queue.write(shard, epoch, put(id)).then(
      (result) => results.set(id, result),
      (error: Error) => results.set(id, error),
    )
  }
  const writtenBy = (commit: Commit | undefined): void => commit!.resolve(commit!.parts.map(() => WRITTEN))
  return { queue, commits, clock, observed, results, write, writtenBy }
}

test('a commit that fails rejects exactly the writes that were in it', async () => {
  const { queue, commits, results, write, writtenBy, observed } = setup()
  write('a')
  write('b')
  await turn()
  write('c')
  const failure = new StoreError('disk full')
  commits[0]!.reject(failure)
  await turn()
  await turn()
  assert.deepEqual(
    [...results],
    [
      ['a', failure],
      ['b', failure],
    ],
  )
  writtenBy(commits[1])
  await queue.idle()
  assert.deepEqual(
    [idsOf(commits[1]), results.get('c'), observed.map(([puts]) => puts)],
    [[['c']], { type: 'written' }, [1]],
  )
})

test('a store that throws instead of rejecting is a failed commit too', async () => {
  const failure = new Error('closed')
  const store: Pick<Store, 'capabilities' | 'commit'> = {
    capabilities: CAPABILITIES,
    commit: () => {
      throw failure
    },
  }
  const observer = { committed() {} }
  const queue = new CommitQueue({ store, owner: 'a', clock: new ManualClock(), observer, lengthMax: 1, batchMax: 1 })
  await assert.rejects(queue.write(SHARD, EPOCH, put('a')), failure)
  await queue.idle()
  assert.equal(queue.length, 0)
})

test('a fenced part tells all its writers, and only them', async () => {
  const { queue, commits, results, write } = setup()
  write('a', 0 as ShardId)
  write('b', 1 as ShardId)
  write('c', 0 as ShardId)
  await turn()
  assert.deepEqual(idsOf(commits[0]), [['a', 'c'], ['b']])
  commits[0]!.resolve([{ type: 'fenced' }, WRITTEN])
  await queue.idle()
  assert.deepEqual(Object.fromEntries(results), {
    a: { type: 'fenced' },
    b: { type: 'written' },
    c: { type: 'fenced' },
  })
})

test('a part that fails alone fails its own writers, and only them', async () => {
  const { queue, commits, results, write } = setup()
  write('a', 0 as ShardId)
  write('b', 1 as ShardId)
  await turn()
  const error = new StoreError('throttled')
  commits[0]!.resolve([{ type: 'failed', error }, WRITTEN])
  await queue.idle()
  assert.deepEqual(Object.fromEntries(results), { a: error, b: { type: 'written' } })
})

test('a part is no larger than the store can write at once', async () => {
  // A create is a put and some counters, which several of one namespace share.
  const { queue, commits, results, write, writtenBy } = setup({ partMax: { items: 10, bytes: 1_000_000 } })
  for (const id of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) write(id)
  await turn()
  const sizes = commits[0]!.parts.map(({ puts, counters }) => puts.length + counters.length)
  assert.ok(sizes.length > 1 && sizes.every((size) => size <= 10), String(sizes))
  assert.deepEqual(idsOf(commits[0]).flat(), ['a', 'b', 'c', 'd', 'e', 'f', 'g'])
  writtenBy(commits[0])
  await queue.idle()
  assert.equal([...results.values()].filter((result) => 'type' in result && result.type === 'written').length, 7)
})

test('a change that is too large for any part goes alone, and the store judges it', async () => {
  const { commits, write, queue, writtenBy } = setup({ partMax: { items: 100, bytes: 1 } })
  for (const id of ['a', 'b', 'c']) write(id)
  await turn()
  assert.deepEqual(idsOf(commits[0]), [['a'], ['b'], ['c']])
  writtenBy(commits[0])
  await queue.idle()
})

test('writes of an old and a new epoch of one shard are separate parts', async () => {
  const { commits, write, queue, writtenBy } = setup()
  write('old', SHARD, 1 as Epoch)
  write('new', SHARD, 2 as Epoch)
  write('old too', SHARD, 1 as Epoch)
  await turn()
  assert.deepEqual(
    commits[0]!.parts.map(({ epoch, puts }) => [epoch, puts.length]),
    [
      [1, 2],
      [2, 1],
    ],
  )
  writtenBy(commits[0])
  await queue.idle()
})

test('a miss is told to its writer, with the row that is there or null, and the others of its part go again', async () => {
  const { queue, commits, results, write, writtenBy } = setup()
  for (const id of ['a', 'b', 'c', 'd']) write(id, (id === 'd' ? 1 : 0) as ShardId)
  await turn()
  const row = sampleTimer({ version: 7 })
  commits[0]!.resolve([
    {
      type: 'missed',
      rows: new Map([
        [put('b').after.uuid, row],
        [put('c').after.uuid, null],
      ]),
    },
    WRITTEN,
  ])
  await turn()
  assert.deepEqual(Object.keys(Object.fromEntries(results)).toSorted(), ['b', 'c', 'd'])
  assert.deepEqual(idsOf(commits[1]), [['a']])
  writtenBy(commits[1])
  await queue.idle()
  assert.deepEqual(Object.fromEntries(results), {
    a: { type: 'written' },
    b: { type: 'missed', row },
    c: { type: 'missed', row: null },
    d: { type: 'written' },
  })
})

test('what was not in the way goes again without newcomers, so that it is held up once', async () => {
  const { queue, commits, write, writtenBy } = setup()
  write('innocent')
  write('taken')
  await turn()
  write('taken too')
  commits[0]!.resolve([{ type: 'missed', rows: new Map([[put('taken').after.uuid, sampleTimer()]]) }])
  await turn()
  assert.deepEqual(idsOf(commits[1]), [['innocent']])
  writtenBy(commits[1])
  await turn()
  assert.deepEqual(idsOf(commits[2]), [['taken too']])
  writtenBy(commits[2])
  await queue.idle()
})

test('of changes that were judged on the same row one is committed, and the others are told of it without a commit', async () => {
  const { queue, commits, results, write, writtenBy } = setup()
  write('a')
  write('b')
  const second = queue.write(SHARD, EPOCH, put('a'))
  const third = queue.write(SHARD, EPOCH, {
    before: put('a').after,
    after: sampleTimer({ id: 'a' as TimerId, version: 2 }),
  })
  await turn()
  assert.deepEqual(idsOf(commits[0]), [['a', 'b']])
  assert.equal(queue.length, 4)
  writtenBy(commits[0])
  assert.deepEqual(await second, { type: 'missed', row: put('a').after })
  await turn()
  assert.deepEqual(
    commits[1]!.parts.map(({ puts }) => puts.map(({ after }) => after.version)),
    [[2]],
  )
  writtenBy(commits[1])
  assert.deepEqual(await third, { type: 'written' })
  await queue.idle()
  assert.deepEqual([commits.length, results.get('b')], [2, { type: 'written' }])
})

test('a full queue refuses client writes until there is room again', async () => {
  const { queue, commits, write, writtenBy } = setup({ lengthMax: 3 })
  write('a')
  write('b')
  queue.assertRoom(1)
  assert.throws(() => queue.assertRoom(2), { code: 'UNAVAILABLE', details: { retryAfterMs: 1_000 } })
  write('c')
  await turn()
  assert.equal(queue.length, 3, 'what is being committed counts')
  assert.throws(() => queue.assertRoom(1), { code: 'UNAVAILABLE' })
  writtenBy(commits[0])
  await queue.idle()
  queue.assertRoom(3)
})

test('what arrives in one turn of the event loop is one commit, and what arrives during it is the next', async () => {
  const { queue, commits, write, writtenBy, results } = setup()
  for (const id of ['a', 'b', 'c', 'd']) {
    write(id)
    await Promise.resolve()
  }
  await turn()
  assert.deepEqual(commits.map(idsOf), [[['a', 'b', 'c', 'd']]])
  for (const id of ['e', 'f', 'g']) {
    write(id)
    await turn()
  }
  assert.equal(commits.length, 1, 'three are less than the four under way')
  assert.equal(results.size, 0)
  writtenBy(commits[0])
  await turn()
  assert.deepEqual([...results.keys()], ['a', 'b', 'c', 'd'], 'durable is told before the next commit ends')
  assert.deepEqual(idsOf(commits[1]), [['e', 'f', 'g']])
  writtenBy(commits[1])
  await queue.idle()
  assert.deepEqual([commits.length, results.size], [2, 7])
})

test('a second commit goes out when it is as large as the first, a third only when one of them has ended', async () => {
  const { queue, commits, write, writtenBy, results } = setup()
  for (const ids of [
    ['a', 'b'],
    ['c', 'd'],
    ['e', 'f', 'g'],
  ]) {
    for (const id of ids) write(id)
    await turn()
  }
  assert.deepEqual(
    commits.map((commit) => idsOf(commit).flat()),
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  )
  assert.equal(queue.length, 7)
  writtenBy(commits[0])
  await turn()
  assert.deepEqual(
    [[...results.keys()], idsOf(commits[2]).flat()],
    [
      ['a', 'b'],
      ['e', 'f', 'g'],
    ],
  )
  write('h')
  await turn()
  assert.equal(commits.length, 3)
  writtenBy(commits[1])
  await turn()
  assert.equal(commits.length, 3, 'one is less than the three under way')
  writtenBy(commits[2])
  await turn()
  writtenBy(commits[3])
  await queue.idle()
  assert.deepEqual([commits.length, results.size, queue.length], [4, 8, 0])
})

test('a large batch does not wait for a larger one under way', async () => {
  const { queue, commits, write, writtenBy } = setup()
  for (let n = 0; n < 300; n++) write(`a${n}`)
  await turn()
  for (let n = 0; n < 127; n++) write(`b${n}`)
  await turn()
  assert.equal(commits.length, 1)
  write('b127')
  await turn()
  assert.deepEqual(
    commits.map((commit) => idsOf(commit).flat().length),
    [300, 128],
  )
  for (const commit of commits) writtenBy(commit)
  await queue.idle()
})

test('the store has its next commit before the writers of the last one are told', async () => {
  const { queue, commits, write, writtenBy } = setup()
  let commitsWhenTold = 0
  const told = queue.write(SHARD, EPOCH, put('a')).then(() => (commitsWhenTold = commits.length))
  write('b')
  await turn()
  write('c')
  writtenBy(commits[0])
  await told
  assert.equal(commitsWhenTold, 2)
  writtenBy(commits[1])
  await queue.idle()
})

test('when one of two commits under way fails, the other one is not touched', async () => {
  const { queue, commits, write, writtenBy, results } = setup()
  write('a')
  await turn()
  write('b')
  await turn()
  const failure = new StoreError('took too long')
  commits[0]!.reject(failure)
  writtenBy(commits[1])
  await queue.idle()
  assert.deepEqual(Object.fromEntries(results), { a: failure, b: { type: 'written' } })
})

test('a batch has a maximum, and the writes beyond it keep their order', async () => {
  const { queue, commits, write, writtenBy, results } = setup({ batchMax: 2 })
  for (const id of ['a', 'b', 'c', 'd', 'e']) write(id)
  for (let n = 0; n < 3; n++) {
    await turn()
    await turn()
    writtenBy(commits[n])
  }
  await queue.idle()
  assert.deepEqual(
    commits.map((commit) => idsOf(commit).flat()),
    [['a', 'b'], ['c', 'd'], ['e']],
  )
  assert.equal(results.size, 5)
})

test('a write that is answered with the next write loses no turn and does not make the queue idle', async () => {
  const { queue, commits, writtenBy } = setup()
  let done = false
  const chain = queue.write(SHARD, EPOCH, put('a')).then(() => queue.write(SHARD, EPOCH, put('b')))
  const idle = queue.idle().then(() => (done = true))
  await turn()
  writtenBy(commits[0])
  await turn()
  await turn()
  assert.deepEqual([commits.length, done], [2, false])
  writtenBy(commits[1])
  await Promise.all([chain, idle])
  assert.equal(queue.length, 0)
})

test('an idle queue says so at once, and the observer learns how long a commit took', async () => {
  const { queue, commits, clock, write, writtenBy, observed } = setup()
  await queue.idle()
  write('a')
  write('b')
  await turn()
  await clock.advance(25)
  writtenBy(commits[0])
  await queue.idle()
  assert.deepEqual(observed, [[2, 25]])
})
