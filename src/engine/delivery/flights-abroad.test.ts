import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ShardId } from '../../core/timer/timer.ts'
import { ManualClock } from '../../runtime/clock/manual-clock.ts'
import { MemoryStore } from '../../store/memory/memory-store.ts'
import { FlightsAbroad } from './flights-abroad.ts'
import type { FlightAbroad } from './hand-over.ts'
import { Holds } from '../holds.ts'
import type { OwnedRows } from '../owned-rows.ts'
import { Window } from '../window/window.ts'

const LEASE_MS = 5_000
const FLIGHT = { uuid: 'u', deliveryId: 'd', attempt: 1, version: 1, timeoutMs: 1_000, carrier: 'a' } as FlightAbroad

function setup() {
  const clock = new ManualClock()
  const limits = { timersMax: 10, bytesMax: 1_000, pageSize: 10 }
  const window = new Window({ store: new MemoryStore(), shard: 0 as ShardId, limits, now: clock.now() })
  const observer = { fired() {}, settled() {} }
  const { signal } = new AbortController()
  const holds = new Holds()
  const parts = {
    clock,
    window,
    observer,
    signal,
    retentionMs: () => 0,
    rescheduleMinMs: 1_000,
    leaseMs: LEASE_MS,
    abroad: [FLIGHT],
  }
  const abroad = new FlightsAbroad(parts, {} as OwnedRows, holds) // nothing here touches a row
  return { clock, abroad, isHeld: () => holds.has(FLIGHT.uuid) }
}

test('a look at the cluster that is older than the hand-over does not end a flight whose carrier it has not seen', async () => {
  const { clock, abroad, isHeld } = setup()
  abroad.endUnlessCarriedBy(new Set(['b']), clock.monotonic())
  assert.equal(isHeld(), true)
  await clock.advance(1)
  abroad.endUnlessCarriedBy(new Set(['b']), clock.monotonic())
  assert.equal(isHeld(), false)
})

test('a flight whose carrier lives and says nothing ends two leases after its timeout', async () => {
  const { clock, abroad, isHeld } = setup()
  await clock.advance(FLIGHT.timeoutMs + 2 * LEASE_MS - 1)
  abroad.endUnlessCarriedBy(new Set(['a', 'b']), clock.monotonic())
  assert.equal(isHeld(), true)
  await clock.advance(1)
  abroad.endUnlessCarriedBy(new Set(['a', 'b']), clock.monotonic())
  assert.equal(isHeld(), false)
})

test('a flight of which one hears twice ends once', async () => {
  const { abroad, isHeld } = setup()
  abroad.addLate([FLIGHT])
  await abroad.land({ shard: 0 as ShardId, flight: FLIGHT, ended: null })
  assert.equal(isHeld(), false)
})
