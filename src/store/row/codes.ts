// Small numbers for statuses and kinds, as stores keep them. They never change their meaning; new ones are added at the end.

import { Status } from '../../core/timer/timer.ts'
import { TimerKind } from '../../core/timer/timer-kind.ts'
import type { Cell } from './columns.ts'

const STATUSES = [
  Status.pending,
  Status.paused,
  Status.executing,
  Status.completed,
  Status.failed,
  Status.canceled,
] as const
const KINDS = [TimerKind.once, TimerKind.limited, TimerKind.infinite] as const
const STATUS_CODES = codesOf(STATUSES)
const KIND_CODES = codesOf(KINDS)

export function statusCode(status: Status): number {
  return STATUS_CODES[status]
}

export function statusOf(code: Cell): Status {
  const status = STATUSES[code as number]
  if (status === undefined) throw new Error(`unknown timer status ${code}: was this row written by a newer version?`)
  return status
}

export function kindCode(kind: TimerKind): number {
  return KIND_CODES[kind]
}

export function kindAt(code: Cell): TimerKind {
  const kind = KINDS[code as number]
  if (kind === undefined) throw new Error(`unknown kind of timer ${code}: was this row written by a newer version?`)
  return kind
}

function codesOf<Name extends string>(names: readonly Name[]): Readonly<Record<Name, number>> {
  return Object.fromEntries(names.map((name, code) => [name, code])) as Record<Name, number>
}
