// What a part of a commit writes: rows with the pieces of large payloads, counters, and events.

import type { ShardId, Timer, TimerUuid } from '../../core/timer/timer.ts'
import { StoreError } from '../store.ts'
import type { CommitPart, Put, StoredRow } from '../store.ts'
import { IF_NONE } from './items.ts'
import type { Expression, Item, Write } from './items.ts'
import { countSort, eventSort, keyOf, partitionOf, pieceKeys, timerKey } from './keys.ts'
import { payloadPieces, timerItem } from './timer-items.ts'

/** `row`: the timer whose row this is about. An id of null: whatever its id is. */
export type Step = Write & {
  readonly row?: { readonly uuid: TimerUuid; readonly namespace: string; readonly id: string | null }
}

/** Before the names of counters, so that they cannot be those of other attributes. */
export const COUNTER = '='
const COUNTERS_PER_GROUP = 16
const EVENTS_PER_COMMIT = 1_000 // their numbers are that of the commit and three digits

export function putSteps(shard: ShardId, { before, after }: Put): Step[] {
  const pieces = payloadPieces(after.payload)
  const keys = pieceKeys(shard, after.uuid, pieces.length)
  const former = pieceKeys(shard, after.uuid, payloadPieces(before?.payload ?? null).length)
  const changed = before?.payload === after.payload ? [] : keys
  return [
    { put: timerItem(shard, after, pieces), condition: expectation(before, after), row: after },
    ...changed.map((key, n) => ({ put: { ...key, pa: pieces[n]! } })),
    ...former.slice(keys.length).map((key) => ({ delete: key })),
  ]
}

/** A uuid is a hash: the row must be that of the same timer, too. */
function expectation(before: Timer | null, { namespace, id }: Timer): Expression {
  if (before === null) return IF_NONE
  return { text: 'v = :v AND ns = :ns AND id = :id', values: { v: before.version, ns: namespace, id } }
}

export function deleteSteps(shard: ShardId, { uuid, namespace, version }: StoredRow, pieces: number): Step[] {
  const row = { uuid, namespace, id: null }
  return [
    { delete: timerKey(shard, uuid), condition: { text: 'v = :v', values: { v: version } }, row },
    ...pieceKeys(shard, uuid, pieces).map((key) => ({ delete: key })),
  ]
}

/** Counters of one namespace, slot and group share an item, and so what its change costs. */
export function counterSteps({ shard, counters }: CommitPart): Step[] {
  const items = Map.groupBy(counters, ({ slotAt, namespace, name }) => countSort(slotAt, namespace, groupOf(name)))
  return Array.from(items, ([sort, members]) => {
    const { namespace: ns, slotAt: slot } = members[0]!
    const text = `SET ns = :ns, slot = :slot ADD ${members.map((_, n) => `#c${n} :c${n}`).join(', ')}`
    const values: Item = { ns, slot, ...Object.fromEntries(members.map(({ amount }, n) => [`c${n}`, amount])) }
    const names = Object.fromEntries(members.map(({ name }, n) => [`#c${n}`, `${COUNTER}${name}`]))
    return { update: keyOf(partitionOf(shard), sort), by: { text, values }, names }
  })
}

/** Names that go on with a number have an item for every sixteen numbers: an item must stay small. */
function groupOf(name: string): string {
  const numbered = /^(.*\.)(\d+)$/.exec(name)
  return numbered === null ? '' : `${numbered[1]}${Math.floor(Number(numbered[2]) / COUNTERS_PER_GROUP)}`
}

export function eventSteps({ shard, events }: CommitPart, commit: number): Step[] {
  if (events.length > EVENTS_PER_COMMIT)
    throw new StoreError(`${events.length} events are too many for one commit`, { retryable: false })
  return events.map((event, n) => {
    const key = keyOf(partitionOf(shard), eventSort(commit * EVENTS_PER_COMMIT + n))
    return { put: { ...key, ea: event.at, event: JSON.stringify(event) } }
  })
}
