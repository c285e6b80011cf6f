// What a scenario hands in: one figure, the raw limit of the same run beside it, and what it should be. A figure by
// itself says as much about the machine as about the service; the ratio travels.

import { median } from '../harness/statistics.ts'

export type Unit = '/s' | 'ms' | 'µs' | 's' | 'MiB' | 'bytes' | '% of a core' | 'rows' | 'commits' | 'times'

export type Target =
  /** Of the raw limit of the same run. */
  | { readonly shareAtLeast: number }
  | { readonly atLeast: number }
  | { readonly atMost: number }
  /** Of the raw limit of the same run. */
  | { readonly timesAtMost: number }

export type Measurement = {
  readonly scenario: string
  readonly what: string
  readonly unit: Unit
  /** The median of the rounds. */
  readonly value: number
  readonly rounds: readonly number[]
  /** The first round, which does not count: both sides compile their code in it. Null where there is one round only. */
  readonly warmUp: number | null
  /** The same work without the service, interleaved with it. */
  readonly raw: {
    readonly what: string
    readonly value: number
    readonly rounds: readonly number[]
    readonly warmUp: number | null
  } | null
  /** The median of value / raw, round by round: what disturbs the machine for a while disturbs both. */
  readonly ratio: number | null
  readonly target: Target | null
  readonly met: boolean | null
}

export type Figure = {
  readonly scenario: string
  readonly what: string
  readonly unit: Unit
  readonly rounds: readonly number[]
  readonly raw?: { readonly what: string; readonly rounds: readonly number[] }
  readonly target?: Target
}

export function measurement({ scenario, what, unit, rounds: made, raw, target }: Figure): Measurement {
  const { rounds, warmUp } = counted(made)
  const limit = raw === undefined ? null : counted(raw.rounds)
  if (limit !== null && limit.rounds.length !== rounds.length)
    throw new Error(`${what}: ${rounds.length} rounds beside ${limit.rounds.length} of the raw limit`)
  const value = median(rounds)
  const ratio = limit === null ? null : median(rounds.map((round, index) => round / limit.rounds[index]!))
  return {
    scenario,
    what,
    unit,
    value,
    rounds,
    warmUp,
    raw: limit === null ? null : { what: raw!.what, value: median(limit.rounds), ...limit },
    ratio,
    target: target ?? null,
    met: target === undefined ? null : isMet(target, value, ratio),
  }
}

function counted(made: readonly number[]): { readonly rounds: readonly number[]; readonly warmUp: number | null } {
  return made.length === 1 ? { rounds: made, warmUp: null } : { rounds: made.slice(1), warmUp: made[0]! }
}

function isMet(target: Target, value: number, ratio: number | null): boolean {
  if ('atMost' in target) return value <= target.atMost
  if ('atLeast' in target) return value >= target.atLeast
  if (ratio === null) throw new Error('a share of the raw limit needs the raw limit')
  return 'timesAtMost' in target ? ratio <= target.timesAtMost : ratio >= target.shareAtLeast
}
