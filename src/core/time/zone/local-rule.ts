// From local times to instants. A rule says which wall-clock times are meant; here is when they are, also in the nights when
// clocks change. Between two transitions clocks run evenly, so each stretch between them is searched by itself: no local time is
// missed, none is found twice, and the instants come in order, whatever the zone does.

import type { Millis } from '../millis.ts'
import type { Transition, Zone } from './zone.ts'

/**
 * What happens to local times that clocks skip (`gap`): they are shifted, as much later as clocks went forward, or skipped. And to
 * those that clocks show twice (`overlap`).
 */
export type DstPolicy = {
  readonly gap: 'shift' | 'skip'
  readonly overlap: 'first' | 'second' | 'both'
}

export const DST_DEFAULT: DstPolicy = Object.freeze({ gap: 'shift', overlap: 'first' })

export type LocalRule = {
  /** The first local time of the rule at `from` or later, up to `until`; null when there is none. */
  readonly next: (from: Millis, until: Millis) => Millis | null
}

/** The first instant after `after` at which the rule holds in the zone; null when there is none until `until`. */
export function nextInZone(
  rule: LocalRule,
  zone: Zone,
  dst: DstPolicy,
  { after, until }: { readonly after: Millis; readonly until: Millis },
): Millis | null {
  for (let from = after + 1, began = zone.transitionUntil(from); from <= until;) {
    const offset = zone.offsetAt(from)
    // How far the stretch reaches matters only if it ends before the next local time, so that is looked for first.
    const local = rule.next(from + offset, until + offset)
    // Clocks that go back show a day again at most, so a rule without a time from then on is over.
    if (local === null && rule.next(from + offset - OVERLAP_MAX_MS, until + offset + OVERLAP_MAX_MS) === null)
      return null
    const guess = local === null ? until : local - offset
    const ended = zone.transitionAfter(from, guess + (local === null ? 0 : OVERLAP_MAX_MS))
    const isQuiet = began === null || from >= began.at + Math.abs(began.after - began.before)
    if (isQuiet && ended === null) return local === null || guess > until ? null : guess
    const found = firstIn(rule, dst, { from, until, began, ended, offset })
    if (found !== null) return found
    if (ended === null) return null
    from = ended.at
    began = ended
  }
  return null
}

/** Clocks were set back by a day once, where the date line moved; by no more than that. */
const OVERLAP_MAX_MS = 24 * 3_600_000

type Stretch = {
  readonly from: Millis
  readonly until: Millis
  readonly began: Transition | null
  readonly ended: Transition | null
  readonly offset: Millis
}

function firstIn(rule: LocalRule, dst: DstPolicy, { from, until, began, ended, offset }: Stretch): Millis | null {
  const isEndOverlap = ended !== null && ended.after < ended.before
  const endAt = ended === null ? until : ended.at - 1
  // Times that clocks show again later belong to the second time only; so those before are the last of this stretch.
  const lastAt = isEndOverlap && dst.overlap === 'second' ? endAt - (ended.before - ended.after) : endAt
  const isBeginOverlap = began !== null && began.after < began.before
  const firstAt =
    isBeginOverlap && dst.overlap === 'first' ? Math.max(from, began.at + (began.before - began.after)) : from
  const shifted = dst.gap === 'shift' && began !== null ? shiftedFrom(rule, began, from) : null
  const regular = inStretch(rule, offset, firstAt, lastAt)
  const found = shifted !== null && (regular === null || shifted < regular) ? shifted : regular
  return found === null || found > until || found > endAt ? null : found
}

function inStretch(rule: LocalRule, offset: Millis, from: Millis, to: Millis): Millis | null {
  const local = from > to ? null : rule.next(from + offset, to + offset)
  return local === null || local - offset > to ? null : local - offset
}

/** A local time that clocks skipped is as much later as they went forward: the instant it would have been without the change. */
function shiftedFrom(rule: LocalRule, { at, before, after }: Transition, from: Millis): Millis | null {
  return after > before && from < at + (after - before)
    ? inStretch(rule, before, from, at + (after - before) - 1)
    : null
}

/** The instants of one local time under the policy: one, none or two. */
export function resolveLocal(zone: Zone, local: Millis, { gap, overlap }: DstPolicy): readonly Millis[] {
  const instants = zone.instantsOf(local)
  if (instants.length > 1 && overlap !== 'both') return [overlap === 'first' ? instants[0]! : instants.at(-1)!]
  if (instants.length > 0) return instants
  const skippedBy = zone.gapAt(local)
  return gap === 'skip' || skippedBy === null ? [] : [local - skippedBy.before]
}
