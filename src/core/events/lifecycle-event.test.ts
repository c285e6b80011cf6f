import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Command } from '../rules/command.ts'
import {
  at,
  createOf,
  DELIVERED,
  FAILED,
  GONE,
  inStatus,
  KEY,
  MINUTE,
  NOW,
  SECOND,
  specOf,
  timerOf,
} from '../rules/command.fixture.ts'
import { decide } from '../rules/decide.ts'
import type { DeliveryOutcome } from '../timer/delivery.ts'
import { deliveryId } from '../timer/ids.ts'
import { lifecycleEvents, LifecycleEventType } from './lifecycle-event.ts'
import { parseSchedule } from '../time/schedule.ts'
import { markExecuting, settle } from '../rules/settle.ts'
import { Status } from '../timer/timer.ts'
import type { JsonText, Timer } from '../timer/timer.ts'

const ALL = new Set(Object.values(LifecycleEventType))
const LATER = NOW + 10 * SECOND

function after(before: Timer, command: Command): Timer {
  return decide(before, command, at(LATER)).timer
}

function settled(before: Timer, outcome: DeliveryOutcome): Timer {
  return settle(before, { startedAt: before.wakeAt + 3, durationMs: 5, outcome }, at(before.wakeAt + 8))
}

type Body = { id: string; type: string; data: Record<string, unknown>; [field: string]: unknown }

function bodies(before: Timer | null, row: Timer): Body[] {
  return lifecycleEvents(before, row, ALL).map(({ body }) => JSON.parse(body) as Body)
}

const waiting = timerOf('PT1M')
const done = inStatus(waiting, 'completed')
const cycle = timerOf('R3/PT1H')
const change = { type: 'update', ...KEY, ifVersion: null, minLeadMs: null } as const
const failedLater: DeliveryOutcome = { type: 'rescheduled', nextAt: NOW + 5 * MINUTE, statusCode: 200 }

const TABLE: readonly (readonly [change: string, before: Timer | null, after: Timer, events: string])[] = [
  ['a mark that it is being delivered', waiting, markExecuting(waiting, LATER), ''],
  ['a create', null, waiting, 'created'],
  ['a create in place of a live one', waiting, after(waiting, createOf(specOf('PT2M'))), 'created'],
  ['a create in place of a finished one', done, after(done, createOf(specOf('PT2M'))), 'created'],
  [
    'a create in place of one that was canceled in the same moment',
    inStatus(waiting, 'canceled'),
    timerOf('PT1M'),
    'created',
  ],
  ['an update', waiting, after(waiting, { ...change, changes: { payload: '1' as JsonText } }), 'updated'],
  ['a new due time', waiting, after(waiting, { ...change, changes: { schedule: parseSchedule('PT5M') } }), 'updated'],
  ['a pause', waiting, after(waiting, { type: 'pause', ...KEY }), 'updated'],
  ['a resume', inStatus(waiting, 'paused'), after(inStatus(waiting, 'paused'), { type: 'resume', ...KEY }), 'updated'],
  ['a trigger', waiting, after(waiting, { type: 'trigger', ...KEY }), 'updated'],
  [
    'a retry by hand',
    inStatus(waiting, 'failed'),
    after(inStatus(waiting, 'failed'), { type: 'retry', ...KEY }),
    'updated',
  ],
  ['a cancel', waiting, after(waiting, { type: 'cancel', ...KEY, ifVersion: null }), 'canceled'],
  ['a delivery', waiting, settled(waiting, DELIVERED), 'fired completed'],
  [
    'a delivery that took long',
    markExecuting(waiting, LATER),
    settled(markExecuting(waiting, LATER), DELIVERED),
    'fired completed',
  ],
  ['a delivery of a cycle', cycle, settled(cycle, DELIVERED), 'fired'],
  ['a delivery that the receiver moved', waiting, settled(waiting, failedLater), 'fired'],
  ['an attempt that failed', waiting, settled(waiting, FAILED), 'fired'],
  ['the last attempt that failed', waiting, settled(waiting, GONE), 'fired failed'],
]

for (const [name, before, row, expected] of TABLE) {
  test(`${name} is told as: ${expected === '' ? 'nothing' : expected}`, () => {
    assert.equal(
      lifecycleEvents(before, row, ALL)
        .map(({ type }) => type)
        .join(' '),
      expected,
    )
  })
}

test('only the events that are wanted are made', () => {
  const row = settled(waiting, DELIVERED)
  assert.deepEqual(
    lifecycleEvents(waiting, row, new Set(['completed'])).map(({ type }) => type),
    ['completed'],
  )
  assert.deepEqual(lifecycleEvents(waiting, row, new Set(['created'])), [])
})

test('neither the payload nor the target is told', () => {
  const target = { type: 'http', url: 'http://secret.example/token', headers: { authorization: 'secret' } } as const
  const timer = timerOf('PT1M', { payload: '{"card":"secret"}' as JsonText, target })
  const [told] = lifecycleEvents(null, timer, ALL)
  assert(!told!.body.includes('secret'))
})

test('an event says what the timer is now, in the form of a CloudEvent, with metadata as they were sent', () => {
  const metadata = '{"order":12345678901234567890}' as JsonText
  const timer = timerOf('PT1M', { metadata, traceparent: '00-a-b-01', correlationId: 'c-1' })
  const [event] = lifecycleEvents(null, timer, ALL)
  assert(event!.body.includes(metadata))
  const { data, ...envelope } = JSON.parse(event!.body) as Body
  assert.deepEqual(envelope, {
    specversion: '1.0',
    id: event!.id,
    source: '/namespaces/shop',
    type: 'duetime.timer.created',
    subject: 'order-1',
    time: '2026-01-31T10:00:00.000Z',
    datacontenttype: 'application/json',
    traceparent: '00-a-b-01',
  })
  const { metadata: _, ...state } = data
  assert.deepEqual(state, {
    namespace: 'shop',
    id: 'order-1',
    version: 1,
    status: 'pending',
    dueAt: '2026-01-31T10:01:00.000Z',
    schedule: 'PT1M',
    createdAt: '2026-01-31T10:00:00.000Z',
    correlationId: 'c-1',
  })
  assert.deepEqual([event!.namespace, event!.uuid, event!.at], ['shop', KEY.uuid, NOW])
})

test('a firing tells about its attempt, and about the firing that was delivered rather than the next one', () => {
  const [fired] = bodies(cycle, settled(cycle, DELIVERED))
  assert.deepEqual(fired!.data['attempt'], {
    number: 1,
    deliveryId: deliveryId(cycle),
    dueAt: new Date(cycle.dueAt).toISOString(),
    startedAt: new Date(cycle.dueAt + 3).toISOString(),
    lateMs: 3,
    durationMs: 5,
    outcome: 'delivered',
    statusCode: 200,
  })
  assert.deepEqual([fired!.data['status'], fired!.data['iteration']], ['pending', 2])

  const once = settled(waiting, FAILED)
  assert.equal(bodies(waiting, once)[0]!.data['nextAttemptAt'], new Date(once.wakeAt).toISOString())
  const [, failed] = bodies(once, settled(once, GONE))
  assert.deepEqual(
    [failed!.data['status'], failed!.data['error'], failed!.data['attempt']],
    [Status.failed, 'HTTP 410', undefined],
  )
  assert.equal((bodies(once, settled(once, GONE))[0]!.data['attempt'] as { number: number }).number, 2)
})

test('no two events of an id have the same id, and one that replaces another says which version that was', () => {
  const replaced = after(waiting, createOf(specOf('PT2M')))
  const all = [
    ...bodies(null, waiting),
    ...bodies(waiting, replaced),
    ...bodies(replaced, settled(replaced, DELIVERED)),
  ]
  assert.equal(new Set(all.map(({ id }) => id)).size, 4)
  assert.equal(all[1]!.data['replacedVersion'], 1)
})
