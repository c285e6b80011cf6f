import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareKeys } from '../../core/timer/order.ts'
import { NEVER, Status } from '../../core/timer/timer.ts'
import type { JsonText, Millis, Namespace, Timer, TimerId } from '../../core/timer/timer.ts'
import { sampleTimer } from '../../store/conformance/sample-timer.ts'
import { StoreError } from '../../store/store.ts'
import type { DueScan } from '../../store/store.ts'
import type { Entry } from './entry.ts'
import { PagedStore } from './paged-store.fixture.ts'
import type { WindowLimits } from './shares.ts'
import { Window } from './window.ts'

const NOW = Date.UTC(2030, 0, 1)
const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 3_600_000
const DAY = 24 * HOUR

const timer = (id: string, inMs: Millis, changes: Partial<Timer> = {}): Timer =>
  sampleTimer({ id: id as TimerId, dueAt: NOW + inMs, payload: null, ...changes })
const herd = (count: number, inMs: (n: number) => Millis): Timer[] =>
  Array.from({ length: count }, (_, n) => timer(`t${n}`, inMs(n)))
const next = (before: Timer, changes: Partial<Timer>): Timer => ({ ...before, version: before.version + 1, ...changes })
const ids = (entries: readonly (Entry | Timer)[]): string[] =>
  entries.map((each) => ('timer' in each ? each.timer.id : each.id))

function setup(rows: readonly Timer[], limits: Partial<WindowLimits> = {}) {
  const store = new PagedStore()
  store.put(...rows)
  const bounds: WindowLimits = { timersMax: 1_000, bytesMax: 10_000_000, pageSize: 200, ...limits }
  const window = new Window({ due: (scan) => store.due(scan as DueScan), limits: bounds, now: NOW })
  const load = async (now = NOW, readsMax = 100): Promise<void> => {
    for (let reads = 0; window.wantsPage(now); reads++) {
      assert.ok(reads < readsMax, 'reads pages for ever')
      await window.loadPage(now)
    }
  }
  /** Committed, and told to the window. */
  const commit = (...timers: readonly Timer[]): void => {
    for (const each of timers) {
      store.put(each)
      window.apply(each, NOW)
    }
  }
  /** Fires all that comes due by `now`, as an engine with instant deliveries would. */
  const fire = async (now: Millis): Promise<string[]> => {
    const fired: string[] = []
    for (;;) {
      await load(now)
      const due = window.takeDue(now, 50)
      if (due.length === 0) return fired
      for (const entry of due) {
        fired.push(entry.timer.id)
        const done = next(entry.timer, { status: Status.completed, finishedAt: now, wakeAt: now + DAY })
        store.put(done)
        window.endDelivery(entry, done, NOW)
      }
    }
  }
  return { store, window, load, commit, fire, bounds }
}

test('a page that arrives after everything in it has changed changes nothing', async () => {
  const rows = [timer('moved', SECOND), timer('canceled', SECOND), timer('paused', SECOND), timer('replaced', SECOND)]
  const { store, window, commit, fire } = setup(rows)
  store.isPrompt = false
  const loading = window.loadPage(NOW)
  const [moved, canceled, paused, replaced] = rows as [Timer, Timer, Timer, Timer]
  commit(
    next(moved, { dueAt: NOW + HOUR, wakeAt: NOW + HOUR }),
    next(canceled, { status: Status.canceled, wakeAt: NOW + DAY }),
    next(paused, { status: Status.paused, wakeAt: NEVER }),
    next(replaced, { payload: '1' as JsonText }),
  )
  store.scans[0]!.answer()
  await loading
  store.isPrompt = true
  assert.deepEqual(await fire(NOW + SECOND), ['replaced'])
  assert.deepEqual(await fire(NOW + HOUR), ['moved'])
})

test('what is committed between the answer of the store and the next turn is not overlooked', async () => {
  for (let gap = 0; gap < 6; gap++) {
    const row = timer('a', SECOND)
    const { store, window, commit, fire } = setup([row])
    store.isPrompt = false
    const loading = window.loadPage(NOW)
    store.scans[0]!.answer()
    for (let n = 0; n < gap; n++) await Promise.resolve()
    commit(next(row, { status: Status.canceled, wakeAt: NOW + DAY }), timer('b', SECOND))
    await loading
    assert.deepEqual(await fire(NOW + SECOND), ['b'], `${gap} microtasks later`)
  }
})

test('a row that is stored but not told yet is taken once, whichever comes first', async () => {
  const { store, window, commit, load, fire } = setup([])
  const created = timer('a', SECOND)
  store.put(created)
  await load()
  window.apply(created, NOW)
  assert.equal(window.size, 1)
  const moved = next(created, { dueAt: NOW + HOUR, wakeAt: NOW + HOUR })
  commit(moved)
  window.apply(created, NOW)
  assert.equal(window.get(created.uuid)!.timer, moved)
  assert.deepEqual(await fire(NOW + SECOND), [])
})

test('a failed read changes nothing, and the next one gets everything', async () => {
  const { store, window, commit, fire } = setup(herd(5, (n) => n * SECOND))
  store.isPrompt = false
  const loading = window.loadPage(NOW)
  commit(timer('new', 2 * SECOND + 1))
  store.scans[0]!.fail(new StoreError('gone'))
  await assert.rejects(loading, /gone/)
  assert.deepEqual([window.size, window.wantsPage(NOW)], [0, true])
  store.isPrompt = true
  assert.deepEqual(await fire(NOW + 3 * SECOND), ['t0', 't1', 't2', 'new', 't3'])
})

test('a flood of creates stays within the limits, and all of it fires in order', async () => {
  const { window, commit, fire, bounds } = setup([], { timersMax: 100, pageSize: 20 })
  await window.loadPage(NOW)
  const flood = herd(2_000, (n) => ((n * 7_919) % 2_000) * 60 * SECOND)
  for (const each of flood) {
    commit(each)
    assert.ok(window.size <= bounds.timersMax)
  }
  assert.deepEqual(await fire(NOW + 2_000 * 60 * SECOND), ids(flood.toSorted(compareKeys)))
  assert.deepEqual([window.size, window.bytes], [0, 0])
})

test('a flood of creates while a page is on its way is not kept in memory, and the page is read again', async () => {
  const rows = herd(50, (n) => n * SECOND)
  const { store, window, commit, fire } = setup(rows, { timersMax: 200, pageSize: 100 })
  store.isPrompt = false
  const loading = window.loadPage(NOW)
  const moved = rows.map((row) => next(row, { dueAt: row.dueAt + HOUR, wakeAt: row.dueAt + HOUR }))
  const flood = Array.from({ length: 5_000 }, (_, n) => timer(`flood ${n}`, 2 * HOUR + n))
  commit(...moved, ...flood)
  store.scans[0]!.answer()
  await loading
  assert.equal(window.size, 0)
  store.isPrompt = true
  assert.deepEqual(await fire(NOW + 3 * HOUR), [...ids(moved), ...ids(flood)])
})

test('large payloads stay within the bytes, whatever they were before', async () => {
  const large = '0'.repeat(10_000) as JsonText
  const { window, commit, load, bounds } = setup([], { timersMax: 1_000, bytesMax: 100_000 })
  await load()
  commit(...Array.from({ length: 100 }, (_, n) => timer(`small ${n}`, HOUR + n * 100 * SECOND)))
  for (let n = 0; n < 100; n++) {
    commit(timer(`large ${n}`, 2 * SECOND + n, { payload: large }))
    assert.ok(window.bytes < bounds.bytesMax + 11_000, `${window.bytes} bytes`)
  }
})

test('a page with larger payloads than expected is taken as far as there is room, and not read for ever', async () => {
  const large = '0'.repeat(10_000) as JsonText
  const rows = [
    ...herd(60, (n) => n),
    ...Array.from({ length: 200 }, (_, n) => timer(`large ${n}`, 3 * DAY + n, { payload: large })),
  ]
  const { window, store, load, fire, bounds } = setup(rows, { bytesMax: 400_000 })
  await load(NOW, 10)
  assert.ok(window.bytes < bounds.bytesMax + 11_000)
  assert.ok(store.reads < 10, `${store.reads} reads`)
  assert.deepEqual(await fire(NOW + 4 * DAY), ids(rows))
})

test('more timers in one millisecond than there is room for all fire', async () => {
  const { fire, window, bounds } = setup(
    herd(500, () => HOUR),
    { timersMax: 40, pageSize: 30 },
  )
  const fired = await fire(NOW + HOUR)
  assert.deepEqual([fired.length, new Set(fired).size], [500, 500])
  assert.ok(window.size <= bounds.timersMax)
})

test('a window full of deliveries in flight takes in half as many again, leaves others outside until it has room, and then takes them', async () => {
  const { window, commit, load, store, fire } = setup(
    herd(10, () => 0),
    { timersMax: 10, pageSize: 10 },
  )
  await load()
  const started = window.takeDue(NOW, 10)
  for (const entry of started) window.startDelivery(entry)
  const created = [timer('overdue', -SECOND), ...Array.from({ length: 9 }, (_, n) => timer(`new ${n}`, n * SECOND))]
  commit(...created.toReversed())
  assert.deepEqual([window.size, window.wantsPage(NOW)], [15, false])
  for (const entry of started) {
    const done = next(entry.timer, { status: Status.completed, wakeAt: NOW + DAY })
    store.put(done)
    window.endDelivery(entry, done, NOW)
  }
  assert.deepEqual(await fire(NOW + 8 * SECOND), ids(created))
})

test('a timer that is evicted while a page is being read comes back by paging', async () => {
  const rows = herd(60, (n) => n * 10 * SECOND)
  const { store, window, load, commit, fire } = setup(rows, { timersMax: 40, pageSize: 15 })
  await window.loadPage(NOW)
  store.isPrompt = false
  const loading = window.loadPage(NOW)
  const early = Array.from({ length: 35 }, (_, n) => timer(`early ${n}`, n + 1))
  commit(...early)
  store.scans[0]!.answer()
  await loading
  store.isPrompt = true
  await load()
  const fired = await fire(NOW + 60 * 60 * SECOND)
  assert.deepEqual(fired, ids([...rows, ...early].toSorted(compareKeys)))
})

test('a change of a timer in flight waits until that delivery has ended', async () => {
  const row = timer('a', 0)
  const { window, load, commit, store } = setup([row])
  await load()
  const [entry] = window.takeDue(NOW, 1)
  window.startDelivery(entry!)
  const replaced = next(row, { dueAt: NOW + SECOND, wakeAt: NOW + SECOND, payload: '123456' as JsonText })
  commit(replaced)
  assert.equal(window.get(row.uuid), entry)
  assert.deepEqual(window.takeDue(NOW + HOUR, 5), [])
  window.endDelivery(entry!, store.rows.get(row.uuid)!, NOW)
  const again = window.takeDue(NOW + SECOND, 5)
  assert.deepEqual(
    again.map((each) => each.timer),
    [replaced],
  )
  window.endDelivery(again[0]!, row, NOW)
  assert.equal(window.get(row.uuid)!.timer, replaced, 'an older row does not take the place of a newer one')
  window.endDelivery(window.takeDue(NOW + SECOND, 5)[0]!, null, NOW)
  assert.deepEqual([window.size, window.bytes], [0, 0])
})

test('an entry that is put back comes out again, at its time', async () => {
  const { window, load } = setup([timer('a', SECOND)])
  await load()
  const [entry] = window.takeDue(NOW + SECOND, 5)
  entry!.state = 'ready'
  window.putBack(entry!)
  assert.deepEqual([window.takeDue(NOW + SECOND - 1, 5), window.nextAt(NOW)], [[], NOW + SECOND])
  assert.deepEqual([window.takeDue(NOW + SECOND, 5), entry!.state], [[entry], 'waiting'])
})

test('a repair finds what the store has due and nobody told, and nothing else', async () => {
  const rows = herd(5, () => 0)
  const { window, load, store, commit } = setup([...rows, timer('later', DAY)])
  await load()
  assert.equal(await window.repair(NOW), 0)
  const started = window.takeDue(NOW, 2)
  for (const entry of started) window.startDelivery(entry)
  assert.equal(await window.repair(NOW), 0)
  store.put(timer('by hand', -SECOND), timer('by hand, not due', HOUR))
  assert.equal(await window.repair(NOW), 1)
  assert.deepEqual(ids(window.takeDue(NOW, 1)), ['by hand'])
  store.isPrompt = false
  store.put(timer('canceled meanwhile', -SECOND))
  const repairing = window.repair(NOW)
  commit(timer('canceled meanwhile', -SECOND, { version: 2, status: Status.canceled }))
  store.scans[0]!.answer()
  assert.equal(await repairing, 0)
})

test('a repair leaves what lies behind the cursor to paging', async () => {
  const { window, load, store } = setup(
    herd(100, (n) => n),
    { timersMax: 20, pageSize: 10 },
  )
  await load()
  const { size } = window
  assert.equal(await window.repair(NOW + 100), 0)
  assert.equal(window.size, size)
  assert.equal(store.rows.size, 100)
})

test('stored paused timers are not read into memory', async () => {
  const { window, load } = setup([timer('paused', 0, { status: Status.paused, wakeAt: NEVER })])
  await load()
  assert.deepEqual([window.size, window.wantsPage(NOW)], [0, false])
})

test('paused timers fill the window only as long as nobody else needs the room', async () => {
  const { window, load, commit, fire } = setup([], { timersMax: 10, pageSize: 5 })
  await load()
  commit(...Array.from({ length: 30 }, (_, n) => timer(`paused ${n}`, 0, { status: Status.paused, wakeAt: NEVER })))
  commit(...herd(9, (n) => n))
  assert.ok(window.size <= 10)
  assert.deepEqual(await fire(NOW + HOUR), ids(herd(9, (n) => n)))
})

const floodOf = (count: number, namespace: string, inMs: Millis): Timer[] =>
  Array.from({ length: count }, (_, n) => timer(`${namespace} ${n}`, inMs, { namespace: namespace as Namespace }))
const waitForTurn = (window: Window, now: Millis): Entry[] => {
  const due = window.takeDue(now, 1_000)
  for (const entry of due) entry.state = 'ready'
  return due
}

test('a window full of one namespace that waits for its turn still takes in what the others need', async () => {
  const calm = timer('calm', 500, { namespace: 'calm' as Namespace })
  const { window, load, commit, store, bounds } = setup([...floodOf(300, 'flood', 0), calm], {
    timersMax: 40,
    pageSize: 20,
  })
  await load()
  waitForTurn(window, NOW)
  await load()
  assert.deepEqual([[...window.separated], window.get(calm.uuid)?.timer], [['flood'], calm])
  const late = Array.from({ length: 5 }, (_, n) => timer(`late ${n}`, n, { namespace: 'late' as Namespace }))
  commit(...late)
  for (const each of late) assert.equal(window.get(each.uuid)?.timer, each)
  assert.ok(window.size <= bounds.timersMax)
  const { reads } = store
  for (let now = NOW; now < NOW + 60 * SECOND; now += 100) await load(now)
  assert.ok(store.reads - reads <= 7, `${store.reads - reads} scans in a minute in which nothing happens`)
})

test('a due timer that is evicted while it waits for its turn is not the one that comes back', async () => {
  const rows = floodOf(40, 'flood', 0)
  const { window, load, commit, fire } = setup(rows, { timersMax: 40, pageSize: 20 })
  await load()
  await window.loadPage(NOW)
  const ready = waitForTurn(window, NOW)
  commit(...floodOf(20, 'calm', 0))
  const evicted = ready.filter((entry) => window.get(entry.uuid) !== entry)
  assert.ok(evicted.length >= 10, `${evicted.length} evicted`)
  for (const entry of ready) if (window.get(entry.uuid) === entry) window.putBack(entry)
  const fired = await fire(NOW)
  assert.deepEqual(fired.toSorted(), ids([...rows, ...floodOf(20, 'calm', 0)]).toSorted())
  for (const entry of evicted) assert.equal(window.get(entry.uuid), undefined)
  assert.deepEqual([[...window.separated], window.wantsPage(NOW)], [[], false])
})

test('what is in flight or held back is not evicted, whatever others need', async () => {
  const { window, load, commit } = setup(floodOf(10, 'flood', 0), { timersMax: 10, pageSize: 10 })
  await load()
  const due = window.takeDue(NOW, 10)
  for (const [n, entry] of due.entries()) entry.state = n < 4 ? 'in-flight' : n < 8 ? 'held' : 'ready'
  commit(...floodOf(9, 'calm', 0))
  for (const entry of due.slice(0, 8)) assert.equal(window.get(entry.uuid), entry)
  assert.ok(window.size <= 10)
})

test('a window full of timers that other nodes deliver still takes in what the others need', async () => {
  const calm = timer('calm', 500, { namespace: 'calm' as Namespace })
  const { window, load } = setup([...floodOf(10, 'flood', 0), calm], { timersMax: 4, pageSize: 4 })
  await load()
  for (const entry of window.takeDue(NOW, 10)) window.hold(entry)
  await load()
  waitForTurn(window, NOW)
  await load()
  assert.equal(window.get(calm.uuid)?.timer, calm)
  assert.ok(window.size <= 6, `${window.size} timers`)
})

test('what waits for later than its row says is not evicted, also when it has come due: it would not be read again', async () => {
  const own = timer('a', 0, { namespace: 'flood' as Namespace })
  const { window, load, commit } = setup([own, ...floodOf(9, 'flood', 1)], { timersMax: 10, pageSize: 10 })
  await load()
  const [entry] = window.takeDue(NOW, 1)
  window.putBackUntil(entry!, NOW + 2)
  for (const due of window.takeDue(NOW + 2, 10)) due.state = 'ready'
  commit(...floodOf(9, 'calm', 0))
  assert.equal(window.get(own.uuid), entry)
})

test('limits that shrink, because the node has got more shards, are kept from the next timer on, and nothing is lost', async () => {
  const rows = [...floodOf(60, 'a', MINUTE), ...floodOf(30, 'b', MINUTE)]
  const limits = { timersMax: 100, pageSize: 50 }
  const { window, load, commit, fire, bounds } = setup(rows, limits)
  await load()
  assert.equal(window.size, 90)
  Object.assign(bounds, { timersMax: 20, pageSize: 10 })
  commit(timer('new', MINUTE, { namespace: 'c' as Namespace }))
  assert.ok(window.size <= 20, `${window.size} timers`)
  assert.deepEqual((await fire(NOW + MINUTE)).toSorted(), [...ids(rows), 'new'].toSorted())
})

test('what is due hours ahead is not read yet, however much room there is, and is in memory in good time', async () => {
  const rows = herd(10, (n) => n * HOUR)
  const { window, load, fire } = setup(rows, { pageSize: 2 })
  await load()
  assert.equal(window.size, 2)
  assert.equal(window.wantsPage(NOW + 49 * MINUTE), false)
  assert.deepEqual(await fire(NOW), ['t0'])
  assert.ok(window.nextAt(NOW) <= NOW + 50 * MINUTE, 'looks again when the cursor comes within the horizon')
  assert.equal(window.wantsPage(NOW + 50 * MINUTE), true)
  assert.deepEqual(await fire(NOW + 10 * HOUR), ids(rows.slice(1)))
})

test('of what is due in more than an hour some stays in memory, and all of it fires', async () => {
  const { window, commit, load, fire } = setup([])
  await load()
  const far = Array.from({ length: 600 }, (_, n) => timer(`far-${n}`, 2 * HOUR + ((n * 7) % 600) * MINUTE))
  commit(...far)
  assert.ok(window.size > 62 && window.size <= 125, `${window.size} of an eighth of 1,000`)
  const near = Array.from({ length: 400 }, (_, n) => timer(`near-${n}`, (n % 60) * MINUTE + SECOND))
  commit(...near)
  commit(timer('more', 3 * HOUR), timer('paused', 0, { status: Status.paused, wakeAt: NEVER }))
  for (const { uuid } of near) assert.ok(window.get(uuid), 'what is due soon does not give way to what is not')
  assert.ok(window.size <= 400 + 125)
  const fired = await fire(NOW + HOUR)
  assert.deepEqual(fired.toSorted(), ids(near).toSorted())
  for (let at = HOUR; at <= 13 * HOUR; at += 10 * MINUTE) fired.push(...(await fire(NOW + at)))
  assert.deepEqual(fired.toSorted(), [...ids(near), ...ids(far), 'more'].toSorted())
})

test('a timer that is moved to a far time leaves memory, and comes back when it is moved again', async () => {
  const { window, commit, load, fire } = setup([])
  await load()
  const [first, ...others] = herd(200, (n) => SECOND + n)
  commit(first!, ...others)
  const later = next(first!, { dueAt: NOW + 2 * HOUR, wakeAt: NOW + 2 * HOUR })
  commit(later)
  assert.equal(window.get(first!.uuid), undefined)
  commit(next(later, { dueAt: NOW + SECOND, wakeAt: NOW + SECOND }))
  assert.equal((await fire(NOW + SECOND)).filter((id) => id === 't0').length, 1)
  assert.deepEqual((await fire(NOW + 3 * HOUR)).toSorted(), ids(others).toSorted())
})
