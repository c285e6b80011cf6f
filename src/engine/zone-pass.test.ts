// Zone data that change between two runs of the service, over one store.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createOf, specOf } from '../core/rules/command.fixture.ts'
import { parseSchedule } from '../core/time/schedule.ts'
import { timerIdentity } from '../core/timer/ids.ts'
import type { Namespace, TimerId } from '../core/timer/timer.ts'
import { temporalZoneData } from '../core/time/zone/zone-data.ts'
import { useZoneData } from '../core/time/zone/zone.ts'
import { ManualClock } from '../runtime/clock/manual-clock.ts'
import { hasOtherZoneData } from '../service/queries/zone-data.ts'
import { MemoryStore } from '../store/memory/memory-store.ts'
import { NoneTarget } from '../targets/none/none-target.ts'
import { testEngine } from './test-engine.fixture.ts'

const HOUR = 3_600_000
const START = Date.UTC(2026, 10, 16)
const OLD = temporalZoneData('2026a')
/** Every zone but UTC is an hour further east. */
const NEW: typeof OLD = {
  version: '2026b',
  offsetAt: (zone, at) => OLD.offsetAt(zone, at) + (zone === 'UTC' ? 0 : HOUR),
  transitionAfter: (zone, at) => {
    const next = OLD.transitionAfter(zone, at)
    return next && { at: next.at, before: next.before + HOUR, after: next.after + HOUR }
  },
}

after(() => useZoneData(temporalZoneData('unknown')))

test('every waiting timer on the clocks of a zone follows the new data, whether it is in memory or not', async () => {
  const store = new MemoryStore()
  const clock = new ManualClock(START, { maxWaitMs: Infinity })
  const node = () => {
    const window = { timersMax: 20, bytesMax: 2 ** 26, pageSize: 10 }
    const parts = { store, clock, targets: [new NoneTarget()], window }
    return testEngine({ ...parts, hasOtherZoneData: () => hasOtherZoneData(store) })
  }
  useZoneData(OLD)
  const first = node()
  await first.start()
  const made = await Promise.all(
    Array.from({ length: 500 }, async (_, index) => {
      const isZoned = index % 2 === 0
      const schedule = parseSchedule(
        `${index % 60} ${index % 24} * ${1 + (index % 12)} *`,
        isZoned ? 'Asia/Tokyo' : null,
      )
      const key = timerIdentity('n' as Namespace, `t-${index}` as TimerId)
      return (await first.execute({ ...createOf({ ...specOf('PT1M'), schedule, target: { type: 'none' } }), ...key }))
        .timer
    }),
  )
  assert.equal(await hasOtherZoneData(store), false)
  await first.stop(0)
  useZoneData(NEW)
  assert.equal(await hasOtherZoneData(store), true)
  const second = node()
  await second.start()
  while (await hasOtherZoneData(store)) await clock.advance(20)
  const rows = await store.getMany(made.map((timer) => ({ ...timer, shard: 0 as never })))
  for (const [index, row] of rows.entries()) {
    const before = made[index]!
    assert.equal(row!.dueAt, before.zoned === null ? before.dueAt : before.dueAt - HOUR, before.id)
    assert.equal(row!.zoned?.data, before.zoned === null ? undefined : '2026b')
  }
  await second.stop(0)
})
