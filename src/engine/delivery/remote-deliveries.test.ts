import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timerOf } from '../../core/rules/command.fixture.ts'
import { deliveryId } from '../../core/timer/ids.ts'
import { Status } from '../../core/timer/timer.ts'
import type { ShardId } from '../../core/timer/timer.ts'
import { ManualClock } from '../../runtime/clock/manual-clock.ts'
import { RemoteDeliveries } from './remote-deliveries.ts'
import { DELIVERY } from './remote-delivery.fixture.ts'
import type { RunningDeliveries } from './running-deliveries.ts'
import type { NodeCalendars } from '../calendars/node-calendars.ts'
import { Holds } from '../commit/holds.ts'
import type { OwnedRows } from '../commit/owned-rows.ts'
import { Window } from '../window/window.ts'

const LEASE_MS = 5_000

function setup(delivery = DELIVERY) {
  const clock = new ManualClock()
  const limits = { timersMax: 10, bytesMax: 1_000, pageSize: 10 }
  const window = new Window({ due: async () => [], limits, now: clock.now() })
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
    remote: [delivery],
    calendars: {} as NodeCalendars, // no timer names one
  }
  // Nothing here touches a row, or has anything running.
  const remote = new RemoteDeliveries(parts, { rows: {} as OwnedRows, holds, running: {} as RunningDeliveries })
  return { clock, remote, isHeld: () => holds.has(delivery.uuid) }
}

test('a look at the cluster that is older than the handover does not end a delivery of a node that it has not seen', async () => {
  const { clock, remote, isHeld } = setup()
  remote.endUnlessAt(new Set(['b']), clock.monotonic())
  assert.equal(isHeld(), true)
  await clock.advance(1)
  remote.endUnlessAt(new Set(['b']), clock.monotonic())
  assert.equal(isHeld(), false)
})

test('a delivery of a node that lives and says nothing ends two leases after its timeout', async () => {
  const { clock, remote, isHeld } = setup()
  await clock.advance(DELIVERY.timeoutMs + 2 * LEASE_MS - 1)
  remote.endUnlessAt(new Set(['a', 'b']), clock.monotonic())
  assert.equal(isHeld(), true)
  await clock.advance(1)
  remote.endUnlessAt(new Set(['a', 'b']), clock.monotonic())
  assert.equal(isHeld(), false)
})

test('a delivery of which one hears twice ends once', async () => {
  const { remote, isHeld } = setup()
  remote.addLate([DELIVERY])
  await remote.acceptReport({ shard: 0 as ShardId, delivery: DELIVERY, ended: null })
  assert.equal(isHeld(), false)
})

test('a firing that another node delivers is shown as such, and not when the store says that the timer is over', () => {
  const timer = timerOf('PT1M')
  const { remote } = setup({ ...DELIVERY, uuid: timer.uuid, deliveryId: deliveryId(timer) })
  assert.equal(remote.has(timer), true)
  assert.equal(remote.has({ ...timer, status: Status.completed }), false)
})
