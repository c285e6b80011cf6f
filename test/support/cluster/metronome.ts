// One cycle in every shard that fires each second from the beginning to the end: it shows when a shard fires again after a
// fault, and that no iteration is left out or comes out of order.

import { shardOf, timerUuid } from '../../../src/core/timer/ids.ts'
import type { Namespace, TimerId } from '../../../src/core/timer/timer.ts'
import { accepted } from '../client.ts'
import type { Client } from '../client.ts'
import type { Payload } from '../crash/history.ts'
import type { Delivery } from '../receiver.ts'

const PAYLOAD: Payload = { revision: 1, behaviour: { type: 'answer', afterMs: 0 } }
const INTERVAL_MS = 1_000

export class Metronome {
  /** The id of each shard's timer, by shard. */
  readonly ids: readonly string[]
  readonly #client: Client

  constructor(options: { client: Client; shards: number }) {
    this.#client = options.client
    this.ids = Array.from({ length: options.shards }, (_, shard) => idIn(shard, options.shards))
  }

  async start(callbackUrl: string): Promise<void> {
    for (const id of this.ids)
      await accepted(this.#client.create({ id, callbackUrl, payload: PAYLOAD, schedule: 'R/PT1S' }))
  }

  async stop(): Promise<void> {
    for (const timerId of this.ids) await this.#client.cancel({ timerId })
  }

  /** For each of the shards, how long after `since` its first delivery began; null when there was none yet. */
  resumedAfter(deliveries: readonly Delivery[], shards: readonly number[], since: number): (number | null)[] {
    const firstAt = new Map<string, number>()
    for (const { timerId, firedAt } of deliveries) {
      if (firedAt > since) firstAt.set(timerId, Math.min(firedAt, firstAt.get(timerId) ?? Infinity))
    }
    return shards.map((shard) => firstAt.get(this.ids[shard]!) ?? null).map((at) => (at === null ? null : at - since))
  }

  violations(deliveries: readonly Delivery[]): string[] {
    const byTimer = Map.groupBy(deliveries, ({ timerId }) => timerId)
    return this.ids.flatMap((id) => checkBeats(id, byTimer.get(id) ?? []))
  }
}

function checkBeats(id: string, deliveries: readonly Delivery[]): string[] {
  const violations: string[] = []
  const first = deliveries[0]
  if (first === undefined) return [`${id} never fired`]
  let last = 0
  for (const { body, dueAt, firedAt } of deliveries.toSorted((a, b) => a.firedAt - b.firedAt)) {
    const iteration = body.iteration ?? 0
    if (firedAt < dueAt) violations.push(`${id}: iteration ${iteration} was ${dueAt - firedAt} ms early`)
    if (dueAt !== first.dueAt + (iteration - 1) * INTERVAL_MS)
      violations.push(`${id}: iteration ${iteration} is off the grid`)
    if (iteration > last + 1) violations.push(`${id}: iteration ${iteration} came after ${last}`)
    last = Math.max(last, iteration)
  }
  return violations
}

function idIn(shard: number, shards: number): string {
  for (let n = 0; ; n++) if (shardOfId(`metronome-${n}`, shards) === shard) return `metronome-${n}`
}

export function shardOfId(id: string, shards: number): number {
  return shardOf(timerUuid('default' as Namespace, id as TimerId), shards)
}
