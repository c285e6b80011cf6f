// Which rows keep a part from being written, for engines that are not told so by their database.

import { isSameTimer } from '../../core/timer/ids.ts'
import type { Timer, TimerUuid } from '../../core/timer/timer.ts'
import type { CommitPart } from '../store.ts'

/** By uuid; null for one that is not there. */
export type RowsInTheWay = ReadonlyMap<TimerUuid, Timer | null>

/** `found`: of the part's timers, those that the shard has. */
export function rowsInTheWay({ puts, deletes }: CommitPart, found: readonly Timer[]): RowsInTheWay {
  const there = new Map(found.map((timer) => [timer.uuid, timer]))
  const inTheWay = new Map<TimerUuid, Timer | null>()
  const expect = (uuid: TimerUuid, isExpected: (row: Timer | undefined) => boolean): void => {
    const row = there.get(uuid)
    if (!isExpected(row)) inTheWay.set(uuid, row ?? null)
  }
  for (const { before, after } of puts)
    expect(after.uuid, (row) => row?.version === before?.version && (row === undefined || isSameTimer(row, after)))
  for (const { uuid, version } of deletes) expect(uuid, (row) => row?.version === version)
  return inTheWay
}
