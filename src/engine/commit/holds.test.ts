import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TimerUuid } from '../../core/timer/timer.ts'
import { Holds } from './holds.ts'

function setup() {
  const freed: TimerUuid[] = []
  return { holds: new Holds((uuid) => freed.push(uuid)), freed, a: 'a' as TimerUuid, b: 'b' as TimerUuid }
}

test('a timer that is held for two reasons is not free when one of them is gone', () => {
  const { holds, freed, a } = setup()
  holds.hold(a)
  holds.hold(a)
  holds.release(a)
  assert.equal(holds.has(a), true)
  assert.deepEqual(freed, [])
})

test('a timer is free once its last reason is gone, and that is told once', () => {
  const { holds, freed, a } = setup()
  holds.hold(a)
  holds.hold(a)
  holds.release(a)
  holds.release(a)
  assert.equal(holds.has(a), false)
  assert.deepEqual(freed, [a])
})

test('it is free already when that is told, so it can be held again at once', () => {
  const seen: boolean[] = []
  const uuid = 'a' as TimerUuid
  const holds: Holds = new Holds(() => {
    seen.push(holds.has(uuid))
    holds.hold(uuid)
  })
  holds.hold(uuid)
  holds.release(uuid)
  assert.deepEqual(seen, [false])
  assert.equal(holds.has(uuid), true)
})

test('timers do not hold each other', () => {
  const { holds, freed, a, b } = setup()
  holds.hold(a)
  assert.equal(holds.has(b), false)
  holds.hold(b)
  holds.release(b)
  assert.equal(holds.has(a), true)
  assert.deepEqual(freed, [b])
})
