import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Namespace, TimerId } from '../../core/timer/timer.ts'
import { aFiring } from '../../targets/http/delivery.fixture.ts'
import { Subjects } from '../subjects.ts'
import { dueTimeReached } from './due-time-reached.ts'

const PROTOCOL = dueTimeReached(new Subjects(null), 'timer.events')

const UUID_V7 = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/

test('whatever the ids, the event is JSON that carries them, and nothing that is absent', () => {
  const ids = fc.string({ unit: 'grapheme', minLength: 1 })
  fc.assert(
    fc.property(ids, fc.option(ids), fc.integer({ min: -1e12, max: 4e12 }), (id, correlationId, dueAt) => {
      const firing = aFiring(
        '',
        { namespace: 'acme' as Namespace, id: id as TimerId, correlationId, dueAt },
        { firedAt: 1_777_636_800_005 },
      )
      const event = JSON.parse(PROTOCOL.message(firing)) as { id: string }
      assert.match(event.id, UUID_V7)
      assert.deepEqual(event, {
        id: event.id,
        type: 'DueTimeReached',
        tenantId: 'acme',
        aggregateId: id,
        timestampMs: 1_777_636_800_005,
        ...(correlationId !== null && { correlationId }),
        payload: { tenantId: 'acme', serviceCallId: id, reachedAt: '2026-05-01T12:00:00.005Z' },
      })
    }),
  )
})

test('every attempt of a firing has the same event id, and another firing another', () => {
  const idOf = (attempt: number, deliveryId: string) => {
    const firing = aFiring('', {}, { attempt, deliveryId, firedAt: 1_777_636_800_000 + attempt })
    return (JSON.parse(PROTOCOL.message(firing)) as { id: string }).id
  }
  assert.equal(idOf(1, 'a-1'), idOf(2, 'a-1'))
  assert.notEqual(idOf(1, 'a-1'), idOf(1, 'a-2'))
})
