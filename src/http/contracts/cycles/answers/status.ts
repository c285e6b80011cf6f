// Statuses and kinds in the words of this contract.

import { Status } from '../../../../core/timer/timer.ts'
import type { Timer } from '../../../../core/timer/timer.ts'
import { kindOf, TimerKind } from '../../../../core/timer/timer-kind.ts'

export const STATUS_WORDS = ['SCHEDULED', 'ACTIVE', 'COMPLETED', 'CANCELLED'] as const
export type StatusWord = (typeof STATUS_WORDS)[number]
export const TYPE_WORDS = ['DURATION', 'CYCLE'] as const
export type TypeWord = (typeof TYPE_WORDS)[number]

/** A timer that failed has fired, too; its history says how. */
const STATUSES: Readonly<Record<StatusWord, readonly Status[]>> = {
  SCHEDULED: [Status.pending, Status.paused],
  ACTIVE: [Status.executing],
  COMPLETED: [Status.completed, Status.failed],
  CANCELLED: [Status.canceled],
}

export function statusWord(status: Status): StatusWord {
  return STATUS_WORDS.find((word) => STATUSES[word].includes(status))!
}

export function statusesOf(word: StatusWord): readonly Status[] {
  return STATUSES[word]
}

export function typeWord(timer: Pick<Timer, 'anchorAt' | 'schedule' | 'rules'>): TypeWord {
  return kindOf(timer) === TimerKind.once ? 'DURATION' : 'CYCLE'
}
