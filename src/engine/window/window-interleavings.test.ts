// The window against the store it is a part of: commits, late words of them, pages that are read before, during or
// after, deliveries, failures of the store and steps of time in any order.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { NEVER, Status, isFinished } from '../../core/timer/timer.ts'
import type { JsonText, Millis, Namespace, Timer, TimerId, TimerUuid } from '../../core/timer/timer.ts'
import { sampleTimer } from '../../store/conformance/sample-timer.ts'
import { StoreError } from '../../store/store.ts'
import type { DueScan } from '../../store/store.ts'
import type { Entry } from './entry.ts'
import { PagedStore } from './paged-store.fixture.ts'
import type { WindowLimits } from './shares.ts'
import { Window } from './window.ts'

const NOW = Date.UTC(2030, 0, 1)
const DAY = 86_400_000
const TIMERS = 40
const NAMESPACES = ['flood', 'flood', 'flood', 'second flood', 'second flood', 'calm'] as Namespace[]

type Step =
  | {
      readonly type: 'change'
      readonly n: number
      readonly to: 'wake' | 'finish' | 'pause'
      readonly inMs: Millis
      readonly chars: number
    }
  | { readonly type: 'tell'; readonly count: number }
  | { readonly type: 'read'; readonly isRepair: boolean }
  | {
      readonly type: 'answer'
      readonly how: 'answer' | 'answerLate' | 'fail'
      readonly gap: number
      readonly tell: number
    }
  | { readonly type: 'time'; readonly ms: Millis }
  | { readonly type: 'take'; readonly count: number; readonly how: 'put back' | 'start' | 'wait' }
  | { readonly type: 'start'; readonly pick: number }
  | { readonly type: 'end'; readonly pick: number; readonly to: 'wake' | 'finish'; readonly inMs: Millis }

const delays = fc.oneof(
  fc.nat(3),
  fc.nat(3),
  fc.integer({ min: -2_000, max: 5_000 }),
  fc.nat(3_600_000),
  fc.nat(90 * DAY),
)
const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('change' as const),
      n: fc.nat(TIMERS - 1),
      to: fc.constantFrom('wake' as const, 'wake' as const, 'wake' as const, 'finish' as const, 'pause' as const),
      inMs: delays,
      chars: fc.constantFrom(0, 10, 3_000),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('tell' as const), count: fc.integer({ min: 1, max: 5 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('read' as const),
      isRepair: fc.integer({ min: 0, max: 4 }).map((n) => n === 0),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('answer' as const),
      how: fc.constantFrom('answer' as const, 'answer' as const, 'answerLate' as const, 'fail' as const),
      gap: fc.nat(6),
      tell: fc.nat(3),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('time' as const),
      ms: fc.oneof(fc.nat(2_000), fc.nat(DAY), fc.integer({ min: -5_000, max: 0 })),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('take' as const),
      count: fc.integer({ min: 1, max: 12 }),
      how: fc.constantFrom('put back' as const, 'start' as const, 'wait' as const, 'wait' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('start' as const), pick: fc.nat() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('end' as const),
      pick: fc.nat(),
      to: fc.constantFrom('wake' as const, 'finish' as const),
      inMs: delays,
    }),
  },
)

function timerAt(n: number, changes: Partial<Timer> = {}): Timer {
  return sampleTimer({ id: `t${n}` as TimerId, namespace: NAMESPACES[n % NAMESPACES.length]!, ...changes })
}

/** The shard's part in this: it commits, tells the window in the order of the commits, and delivers what comes due. */
class Model {
  readonly limits: WindowLimits
  readonly store = new PagedStore()
  readonly window: Window
  /** Due, and waiting for a slot. */
  readonly ready: Entry[] = []
  readonly inFlight: Entry[] = []
  now = NOW
  taken = 0
  /** How often that happened which this test is about. */
  readonly seen = { separated: 0, joined: 0, evictedWhileReady: 0, firedWhileOthersParked: 0 }
  /** Committed, and not told to the window yet; the end of a delivery is told together with its commit. */
  readonly #untold: { readonly timer: Timer; readonly ended: Entry | null }[] = []
  readonly #told = new Map<TimerUuid, number>()
  /** The version that was delivered: the entry itself may have been given a newer one since. */
  readonly #startedVersion = new WeakMap<Entry, number>()
  #reading: Promise<unknown> | null = null
  #separated = new Set<string>()
  readonly #evicted = new WeakSet<Entry>()
  #wasAnsweredLate = false

  /** A flood is stored that came due while nobody was there. */
  constructor(limits: WindowLimits, overdue: number) {
    this.limits = limits
    for (let n = 0; n < overdue; n++) this.store.put(timerAt(n, { dueAt: NOW - (n % 3) }))
    this.window = new Window({ due: (scan) => this.store.due(scan as DueScan), limits, now: NOW })
    this.store.isPrompt = false
  }

  change({ n, to, inMs, chars }: Extract<Step, { type: 'change' }>): void {
    const before = this.store.rows.get(timerAt(n).uuid)
    if (to !== 'wake' && (before === undefined || isFinished(before))) return
    const payload = '0'.repeat(chars) as JsonText
    const after = timerAt(n, { version: (before?.version ?? 0) + 1, dueAt: this.now + inMs, payload })
    if (to === 'wake') this.#commit(after, null)
    else if (to === 'pause') this.#commit({ ...after, status: Status.paused, wakeAt: NEVER }, null)
    else this.#commit({ ...after, status: Status.canceled, wakeAt: this.now + DAY }, null)
  }

  tell(count: number): void {
    for (let left = Math.min(count, this.#untold.length); left > 0; left--) {
      const { timer, ended } = this.#untold.shift()!
      this.#told.set(timer.uuid, timer.version)
      if (ended === null) this.window.apply(timer, this.now)
      else this.window.endDelivery(ended, timer, this.now)
      this.check()
    }
  }

  read(isRepair: boolean): void {
    if (this.#reading !== null || (!isRepair && !this.window.wantsPage(this.now))) return
    const allWasTold = this.#untold.length === 0
    const repair = async (): Promise<void> => {
      const found = await this.window.repair(this.now)
      if (allWasTold && !this.#wasAnsweredLate) assert.equal(found, 0, 'a repair found what was not lost')
    }
    this.#reading = (isRepair ? repair() : this.window.loadPage(this.now)).catch((error: unknown) => {
      if (!(error instanceof StoreError)) throw error
    })
  }

  async answer({
    how,
    gap,
    tell,
  }: {
    how: 'answer' | 'answerLate' | 'fail'
    gap: number
    tell: number
  }): Promise<void> {
    const scan = this.store.scans[0]
    if (scan === undefined) return
    this.#wasAnsweredLate = how === 'answerLate'
    if (how === 'fail') scan.fail(new StoreError('the store is away'))
    else scan[how]()
    for (let n = 0; n < gap; n++) await Promise.resolve()
    this.tell(tell)
    await this.#reading
    this.#reading = null
    this.check()
  }

  take(count: number, how: 'put back' | 'start' | 'wait'): void {
    for (const entry of this.window.takeDue(this.now, count)) {
      assert.ok(entry.wakeAt <= this.now, 'comes out early')
      if (how === 'put back') this.window.putBack(entry)
      else if (how === 'start') this.#start(entry)
      else {
        entry.state = 'ready'
        this.ready.push(entry)
      }
    }
  }

  /** As the dispatcher does: its turn has come, and it starts unless the window has let go of it. */
  start(pick: number): void {
    const [entry] = this.ready.splice(pick % Math.max(this.ready.length, 1), 1)
    if (entry === undefined || this.window.get(entry.uuid) !== entry) return
    if (entry.wakeAt > this.now) this.window.putBack(entry)
    else this.#start(entry)
  }

  #start(entry: Entry): void {
    const { timer } = entry
    const row = this.store.rows.get(timer.uuid)!
    assert.ok(timer.version >= (this.#told.get(timer.uuid) ?? 0), 'fires an older version than the one it was told of')
    assert.ok(timer.version === row.version || this.#isUntold(row), 'fires a stale row')
    assert.ok(timer.wakeAt === entry.wakeAt && timer.status === Status.pending, 'fires what should not fire')
    assert.ok(!this.inFlight.some(({ uuid }) => uuid === entry.uuid), 'fires twice')
    this.window.startDelivery(entry)
    this.#startedVersion.set(entry, timer.version)
    this.inFlight.push(entry)
    this.taken++
    if (this.#separated.size > 0 && !this.#separated.has(timer.namespace)) this.seen.firedWhileOthersParked++
  }

  /** The outcome is written unless somebody replaced the timer meanwhile; then the row that is there is what counts. */
  end({ pick, to, inMs }: { pick: number; to: 'wake' | 'finish'; inMs: Millis }): void {
    const [entry] = this.inFlight.splice(pick % Math.max(this.inFlight.length, 1), 1)
    if (entry === undefined) return
    const row = this.store.rows.get(entry.uuid)!
    const isReplaced = row.version !== this.#startedVersion.get(entry)
    const settled = { ...row, version: row.version + 1 }
    if (isReplaced) this.#untold.push({ timer: row, ended: entry })
    else if (to === 'wake') this.#commit({ ...settled, dueAt: this.now + inMs, wakeAt: this.now + inMs }, entry)
    else this.#commit({ ...settled, status: Status.completed, wakeAt: this.now + DAY }, entry)
  }

  /** Everything is told and read, and all that is live comes due. */
  async drain(): Promise<void> {
    this.store.isPrompt = true
    await this.answer({ how: 'answer', gap: 0, tell: 0 })
    this.now = Math.max(this.now, NOW) + 200 * DAY
    for (let rounds = 0; ; rounds++) {
      assert.ok(rounds < 500, 'never comes to an end')
      while (this.inFlight.length > 0) this.end({ pick: 0, to: 'finish', inMs: 0 })
      this.tell(Infinity)
      for (let reads = 0; this.window.wantsPage(this.now); reads++) {
        assert.ok(reads < 50, 'reads pages for ever')
        await this.window.loadPage(this.now)
      }
      const before = this.taken
      this.take(7, 'start')
      while (this.ready.length > 0) this.start(0)
      if (this.taken === before) return
    }
  }

  check(): void {
    const { window, limits } = this
    const inFlight = this.inFlight.length + this.#untold.filter(({ ended }) => ended !== null).length
    const timersMax = Math.max(limits.timersMax, inFlight + Math.ceil(limits.timersMax / 2))
    assert.ok(window.size <= timersMax, `${window.size} timers, ${inFlight} in flight`)
    // The one that was let in last may pass the limit, and so may new versions of what is in flight.
    assert.ok(window.bytes <= limits.bytesMax + (2 * inFlight + 1) * 3_700, `${window.bytes} bytes`)
    assert.ok(window.levelCounts().reduce((sum, count) => sum + count, 0) <= window.size)
    for (const row of this.store.rows.values()) {
      if (row.status !== Status.pending || this.#isUntold(row) || !window.covers(row)) continue
      assert.equal(
        window.get(row.uuid)?.timer.version,
        row.version,
        `${row.id} of ${row.namespace} is inside the cursor and not here`,
      )
    }
    this.#look()
  }

  #look(): void {
    const separated = new Set(this.window.separated)
    this.seen.separated += separated.difference(this.#separated).size
    this.seen.joined += this.#separated.difference(separated).size
    this.#separated = separated
    for (const entry of this.ready) {
      const isEvicted =
        this.window.get(entry.uuid) === undefined && this.store.rows.get(entry.uuid)!.version === entry.timer.version
      if (isEvicted && !this.#evicted.has(entry)) this.seen.evictedWhileReady++
      if (isEvicted) this.#evicted.add(entry)
    }
  }

  #commit(timer: Timer, ended: Entry | null): void {
    this.store.put(timer)
    this.#untold.push({ timer, ended })
  }

  #isUntold(row: Timer): boolean {
    return this.#untold.some(({ timer }) => timer.uuid === row.uuid)
  }
}

const limits: fc.Arbitrary<WindowLimits> = fc.record({
  timersMax: fc.integer({ min: 2, max: 20 }),
  bytesMax: fc.constantFrom(8_000, 20_000, 1_000_000),
  pageSize: fc.integer({ min: 1, max: 40 }),
})

test('in any interleaving nothing is lost, nothing fires stale, early or twice, and memory stays within its limits', async () => {
  let taken = 0
  const seen = { separated: 0, joined: 0, evictedWhileReady: 0, firedWhileOthersParked: 0 }
  await fc.assert(
    fc.asyncProperty(
      limits,
      fc.nat(TIMERS),
      fc.array(steps, { minLength: 40, maxLength: 150 }),
      async (bounds, overdue, sequence) => {
        const model = new Model(bounds, overdue)
        for (const step of sequence) {
          if (step.type === 'change') model.change(step)
          else if (step.type === 'tell') model.tell(step.count)
          else if (step.type === 'read') model.read(step.isRepair)
          else if (step.type === 'answer') await model.answer(step)
          else if (step.type === 'time') model.now += step.ms
          else if (step.type === 'take') model.take(step.count, step.how)
          else if (step.type === 'start') model.start(step.pick)
          else model.end(step)
          model.check()
        }
        await model.drain()
        const left = [...model.store.rows.values()].filter((row) => row.status === Status.pending)
        assert.deepEqual(
          left.map(({ id }) => id),
          [],
          'lost',
        )
        taken += model.taken
        for (const what of Object.keys(seen) as (keyof typeof seen)[]) seen[what] += model.seen[what]
      },
    ),
    { numRuns: 1_500 },
  )
  assert.ok(taken > 10_000, `only ${taken} were taken`)
  for (const [what, count] of Object.entries(seen)) assert.ok(count > 50, `${what}: only ${count} times`)
})
