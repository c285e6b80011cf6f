// What a part of a commit writes: rows with the pieces of large payloads, counters, and events.

import type { ShardId, Timer, TimerUuid } from '../../core/timer/timer.ts'
import { counterGroups } from '../keyed/counter-groups.ts'
import { eventItems } from '../keyed/keyed-engine.ts'
import type { Item } from '../keyed/timer-fields.ts'
import type { CommitPart, Put, StoredRow } from '../store.ts'
import { IF_NONE } from './items.ts'
import type { Expression, Write } from './items.ts'
import { keyOf, pieceKeys, timerKey } from './keys.ts'
import { payloadPieces, timerItem } from './timer-items.ts'

/** `row`: the timer whose row this is about. */
export type Step = Write & { readonly row?: TimerUuid }

export function putSteps(shard: ShardId, { before, after }: Put): Step[] {
  const key = timerKey(shard, after.uuid)
  const pieces = payloadPieces(after.payload)
  const keys = pieceKeys(key, pieces.length)
  const former = pieceKeys(key, payloadPieces(before?.payload ?? null).length)
  const changed = before?.payload === after.payload ? [] : keys
  return [
    { put: timerItem(key, after, pieces), condition: expectation(before, after), row: after.uuid },
    ...changed.map((piece, n) => ({ put: { ...piece, pa: pieces[n]! } })),
    ...former.slice(keys.length).map((piece) => ({ delete: piece })),
  ]
}

/** A uuid is a hash: the row must be that of the same timer, too. */
function expectation(before: Timer | null, { namespace, id }: Timer): Expression {
  if (before === null) return IF_NONE
  return { text: 'v = :v AND ns = :ns AND id = :id', values: { v: before.version, ns: namespace, id } }
}

export function deleteSteps(shard: ShardId, { uuid, version }: StoredRow, pieces: number): Step[] {
  const key = timerKey(shard, uuid)
  return [
    { delete: key, condition: { text: 'v = :v', values: { v: version } }, row: uuid },
    ...pieceKeys(key, pieces).map((piece) => ({ delete: piece })),
  ]
}

export function counterSteps({ shard, counters }: CommitPart): Step[] {
  return counterGroups(counters).map(({ sort, ns, slot, amounts }) => {
    const text = `SET ns = :ns, slot = :slot ADD ${amounts.map((_, n) => `#c${n} :c${n}`).join(', ')}`
    const values: Item = { ns, slot, ...Object.fromEntries(amounts.map(([, amount], n) => [`c${n}`, amount])) }
    const names = Object.fromEntries(amounts.map(([field], n) => [`#c${n}`, field]))
    return { update: keyOf(shard, sort), by: { text, values }, names }
  })
}

export function eventSteps(part: CommitPart, commit: number): Step[] {
  return eventItems(part, commit).map(({ sort, fields }) => ({ put: { ...keyOf(part.shard, sort), ...fields } }))
}
