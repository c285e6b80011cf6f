// What a checker finds, and what checkers share: the history of one timer.

import type { Arrival, FinalTimer, History, Operation } from '../history.ts'

export const PROMISES = {
  durable: 'durable before acknowledged',
  early: 'never early',
  punctual: 'on the dot',
  lost: 'never lost',
  once: 'at least once, and once when nothing fails',
  final: 'cancel and update are final',
  owner: 'only the owner fires',
  bounded: 'bounded',
  fair: 'fair',
  linear: 'answers agree with one order of events',
  live: 'everything goes on after the faults end',
  events: 'every change is told',
  counters: 'counts are right',
  sound: 'no process dies by itself',
} as const
export type PromiseName = keyof typeof PROMISES

export type Violation = { readonly promise: PromiseName; readonly timer: string | null; readonly text: string }

export type TimerHistory = {
  readonly name: string
  readonly namespace: string
  /** In the order in which they were sent. */
  readonly operations: readonly Operation[]
  /** In the order in which they started. */
  readonly arrivals: readonly Arrival[]
  readonly final: FinalTimer | null
  /** Finished timers of its namespace are soon forgotten, and its versions then begin anew. */
  readonly isForgotten: boolean
}

const SHORT_MS = 600_000

export function timerHistories(history: History): TimerHistory[] {
  const operations = Map.groupBy(history.operations, ({ timer }) => timer)
  const arrivals = Map.groupBy(history.arrivals, ({ timer }) => timer)
  return Array.from(operations, ([name, own]) => {
    const namespace = name.slice(0, name.indexOf('/'))
    return {
      name,
      namespace,
      operations: own,
      arrivals: arrivals.get(name) ?? [],
      final: history.final.timers.get(name) ?? null,
      isForgotten: history.settings.retentionMs[namespace]! < SHORT_MS,
    }
  })
}

/** When its effect is over at the latest: what was not answered may still happen at any time. */
export function endOf({ outcome, endedAt }: Operation): number {
  return outcome === 'unknown' || endedAt === null ? Infinity : endedAt
}

/** It may have changed something. */
export function mayHaveHappened({ outcome, answer }: Operation): boolean {
  return outcome === 'unknown' || (outcome === 'done' && answer!.changed)
}

export function isDone(operation: Operation): boolean {
  return operation.outcome === 'done' && operation.answer!.changed
}

export function isWrite({ type }: Operation): boolean {
  return type === 'create' || type === 'update'
}

/** All requests for one revision: the first and its repetitions. */
export function attemptsAt({ operations }: TimerHistory, revision: number | null): readonly Operation[] {
  return operations.filter((operation) => operation.revision !== null && operation.revision === revision)
}

export function time(at: number): string {
  return `${(at / 1_000).toFixed(3)} s`
}
