// Lifecycle events as they are in the stream, and what must be true of them whatever was killed meanwhile.

import assert from 'node:assert/strict'
import type { NatsClient, Stored } from './nats-client.ts'

export const LIFECYCLE_STREAM = 'DUETIME_EVENTS'

export type CloudEvent = {
  id: string
  type: string
  subject: string
  data: Record<string, unknown>
  [field: string]: unknown
}
export type Told = { readonly stored: Stored; readonly type: string; readonly body: CloudEvent }

/** Everything in the stream, in its order. */
export async function readLifecycle(nats: NatsClient): Promise<Told[]> {
  return (await nats.read(LIFECYCLE_STREAM)).map((stored) => {
    const body = JSON.parse(stored.text) as CloudEvent
    return { stored, body, type: body.type.slice('duetime.timer.'.length) }
  })
}

/** By timer, the first time that each event came; one that came again must be the same to the letter. */
export function firstTold(events: readonly Told[]): Map<string, Told[]> {
  const seen = new Map<string, string>()
  const timers = new Map<string, Told[]>()
  for (const event of events) {
    const { id, subject } = event.body
    assert.equal(event.stored.id, id)
    const before = seen.get(id)
    if (before !== undefined) assert.equal(event.stored.text, before, 'an event came again and said something else')
    else timers.set(subject, [...(timers.get(subject) ?? []), event])
    seen.set(id, event.stored.text)
  }
  return timers
}

/** Versions grow from event to event of a timer; those of one change are in the order fired, then completed or failed. */
export function assertInOrder(timers: ReadonlyMap<string, readonly Told[]>): void {
  for (const [id, events] of timers) {
    const steps = events.map(
      ({ body, type }) => Number(body.data['version']) * 2 + (['completed', 'failed'].includes(type) ? 1 : 0),
    )
    const types = events.map(({ type }) => type).join(' ')
    assert.deepEqual(
      steps,
      steps.toSorted((a, b) => a - b),
      `events of ${id} are out of order: ${types}`,
    )
  }
}
