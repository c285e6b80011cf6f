import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Namespace, Timer } from '../../core/timer/timer.ts'
import { emptyTimer } from '../../core/rules/empty-timer.ts'
import { ManualClock } from '../../runtime/clock/manual-clock.ts'
import { silentLogger } from '../../runtime/telemetry/logger.ts'
import { StoreError } from '../../store/store.ts'
import { calendarsRow, calendarsText, NodeCalendars } from './node-calendars.ts'

const SHOP = 'shop' as Namespace
const calendar = (name: string) => ({ name, timeZone: 'UTC', exclude: [], allow: [] })

/** A store of one row, which answers when told to. */
function setup() {
  const clock = new ManualClock(0)
  const store = { row: null as Timer | null, isDown: false, reads: 0 }
  const read = async () => {
    store.reads++
    if (store.isDown) throw new StoreError('it is down')
    return store.row
  }
  const warnings: object[] = []
  const logger = { ...silentLogger(), warn: (fields: object) => void warnings.push(fields), error: () => {} }
  const node = new NodeCalendars({
    read,
    clock,
    logger: logger as never,
  })
  const write = (version: number, ...names: string[]) => {
    store.row = { ...emptyTimer(calendarsRow(SHOP), 0), version, payload: calendarsText(names.map(calendar)) }
  }
  const names = async () => [...(await node.of(SHOP)).keys()]
  return { clock, store, node, write, names, warnings }
}

test('what another node changed counts within a second, and many timers share one read', async () => {
  const { clock, store, write, names } = setup()
  write(1, 'a')
  assert.deepEqual(await Promise.all([names(), names(), names()]), [['a'], ['a'], ['a']])
  write(2, 'a', 'b')
  await clock.advance(999)
  assert.deepEqual([await names(), store.reads], [['a'], 1])
  await clock.advance(1)
  assert.deepEqual([await names(), store.reads], [['a', 'b'], 2])
})

test('what this node changed counts at once, and an older row that was read meanwhile does not undo it', async () => {
  const { clock, node, write, names, store } = setup()
  write(1, 'a')
  await names()
  await clock.advance(1_000)
  const reading = names() // is given the first version
  write(2, 'b')
  node.apply(SHOP, store.row!)
  await reading
  assert.deepEqual(await names(), ['b'])
})

test('while the store is down, what was known last counts; without that, a timer that is due waits for it', async () => {
  const { clock, node, write, names, store } = setup()
  const timer = { ...emptyTimer(calendarsRow(SHOP), 0), namespace: SHOP }
  const { signal } = new AbortController()
  store.isDown = true
  const waiting = node.waitFor(timer, signal)
  await clock.advance(5_000)
  write(1, 'a')
  store.isDown = false
  await clock.advance(1_000)
  assert.deepEqual([...(await waiting)!.keys()], ['a'])
  store.isDown = true
  await clock.advance(60_000)
  await assert.rejects(names(), StoreError)
  assert.deepEqual([...(await node.waitFor(timer, signal))!.keys()], ['a'])
})

test('one that is not there is said once', async () => {
  const { node, warnings } = setup()
  const rules = { calendar: { name: 'gone', onExcluded: 'skip' as const } }
  const timer = { ...emptyTimer(calendarsRow(SHOP), 0), namespace: SHOP, rules }
  for (let times = 0; times < 3; times++) await node.waitFor(timer, new AbortController().signal)
  assert.deepEqual(warnings, [{ namespace: 'shop', calendar: 'gone' }])
})

test('the calendars of many namespaces do not fill the memory', async () => {
  const { node, store } = setup()
  for (let index = 0; index <= 1_000; index++) await node.of(`n${index}` as Namespace)
  await node.of('n1000' as Namespace)
  assert.equal(store.reads, 1_001)
  await node.of('n0' as Namespace)
  assert.equal(store.reads, 1_002)
})
