// The order of commands that come from a stream. A broker delivers what was put back, or was in the hands of a node that
// died, behind what was sent later, and to whichever node it likes; no consumer can know what is still to come. So order is
// judged where the timer is: it remembers the last command that was judged, also one that changed nothing, and a command that
// was sent before that does nothing. The last command that was sent wins, in whatever order they arrive.

import type { CancelCommand, Command } from './command.ts'
import { emptyTimer } from './empty-timer.ts'
import { Status } from '../timer/timer.ts'
import type { Millis, StreamPlace, Timer } from '../timer/timer.ts'

/** Sent before a command that the timer has followed, or that very command once more. */
export function isOutdated({ lastCommand }: Timer, command: Command): boolean {
  const place = placeOf(command)
  return (
    place !== null &&
    lastCommand !== null &&
    lastCommand.stream === place.stream &&
    lastCommand.sequence >= place.sequence
  )
}

export function placeOf(command: Command): StreamPlace | null {
  return ('place' in command ? command.place : undefined) ?? null
}

/** There is nothing to cancel, and a command that was sent before this one could still bring something to life: it must be remembered. */
export function mustBeRemembered(existing: Timer | null, { place }: CancelCommand): boolean {
  if (place === undefined) return false
  return existing === null || existing.status === Status.canceled || existing.status === Status.failed
}

/** Nothing else about the timer changes, its time of change included. The command is newer than what it remembers: see `isOutdated`. */
export function remembering(timer: Timer, place: StreamPlace): Timer {
  return { ...timer, version: timer.version + 1, lastCommand: place }
}

/**
 * A cancel that came too late. What was sent before it is outdated; it is not, since it comes again when a delivery is under
 * way, and must then be judged. Null when the timer remembers that already.
 */
export function placeBefore({ lastCommand }: Timer, { stream, sequence }: StreamPlace): StreamPlace | null {
  const isKnown = lastCommand?.stream === stream && lastCommand.sequence >= sequence - 1
  return isKnown ? null : { stream, sequence: sequence - 1 }
}

/** Stands for a timer that is not there, as if it had been made now, for its cancel to be remembered. No version of it is ever stored. */
export function unseenTimer(command: CancelCommand, now: Millis): Timer {
  return { ...emptyTimer(command, now), version: 0 }
}

/** The change is about a remembered command, and nothing was made, changed or ended: a canceled row where there was none, or another place. */
export function isOnlyRemembered(before: Timer | null, after: Timer): boolean {
  if (before === null || before.status === Status.canceled) return after.status === Status.canceled
  const { status, firing, updatedAt, lastCommand } = after
  if (lastCommand === null || firing !== before.firing || updatedAt !== before.updatedAt) return false
  const isMoved =
    lastCommand.sequence !== before.lastCommand?.sequence || lastCommand.stream !== before.lastCommand.stream
  return isMoved && (status === before.status || status === Status.executing)
}
