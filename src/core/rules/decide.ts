// The rules: what a command does to the timer that is there. Pure; the owner of the shard calls it and
// commits what comes out, expecting the version that was judged. If that misses, it judges again.
// Creates are judged in create.ts; what the other commands make of a timer is in change.ts.

import { DuetimeError, ErrorCode, invalidInput } from '../errors.ts'
import { withoutRunning, withRunning } from '../timer/running-firings.ts'
import { NEVER, Status } from '../timer/timer.ts'
import type { Timer } from '../timer/timer.ts'
import { ALLOWED_IN } from '../timer/transitions.ts'
import { canceled, isAboutToFireExtra, paused, resumed, retried, triggered, updated } from './change.ts'
import type { Command, CreateCommand, PauseCommand, ShardCommand } from './command.ts'
import { decideCreate } from './create.ts'
import { decideDocument } from './internal/document.ts'
import { withoutExtraFiring } from './extra-firing.ts'
import { isOutdated, mustBeRemembered, placeBefore, placeOf, remembering, unseenTimer } from './sent-commands.ts'
import { keep, write } from './steps.ts'
import type { Decision, RuleContext } from './steps.ts'

/** Throws a DuetimeError when the command is refused. */
export function decide(existing: Timer | null, command: ShardCommand, context: RuleContext): Decision {
  if (command.type === 'document') return decideDocument(existing, command, context)
  if (existing === null || existing.running === null) return judged(existing, command, context)
  const decision = judged(withoutRunning(existing), command, context)
  return { ...decision, timer: withRunning(decision.timer) }
}

function judged(existing: Timer | null, command: Command, context: RuleContext): Decision {
  if (existing !== null && isOutdated(existing, command)) return keep(existing)
  if (command.type === 'create') return remembered(decideCreate(existing, command, context), command)
  if (command.type === 'cancel' && mustBeRemembered(existing, command)) {
    return write(canceled(existing ?? unseenTimer(command, context.now), command, context))
  }
  if (existing === null) throw timerNotFound(command)
  if ('ifVersion' in command && command.ifVersion !== null && command.ifVersion !== existing.version) {
    throw versionConflict(existing, command.ifVersion)
  }
  if (!ALLOWED_IN[command.type].includes(existing.status) && !isRetriedBy(command, existing))
    return refused(existing, command)
  switch (command.type) {
    case 'update':
      return write(updated(existing, command, context))
    case 'cancel':
      return write(canceled(existing, command, context))
    case 'trigger':
      return isAboutToFireExtra(existing, context.now) ? keep(existing) : write(triggered(existing, context))
    case 'pause':
      assertAhead(command, context)
      return isPausedAs(existing, command) ? keep(existing) : write(paused(existing, command, context))
    case 'resume':
      return existing.status === Status.pending ? keep(existing) : write(resumed(existing, context))
    case 'retry':
      return write(retried(existing, context))
  }
}

/** By when it arrived, as with due times. */
function assertAhead({ until }: PauseCommand, { now, arrivedAt = now }: RuleContext): void {
  if (until === undefined || until > arrivedAt) return
  throw invalidInput('until', `the pause must end in the future; it is ${new Date(arrivedAt).toISOString()} here`)
}

function isPausedAs(timer: Timer, { until = NEVER }: PauseCommand): boolean {
  return timer.status === Status.paused && withoutExtraFiring(timer).wakeAt === until
}

/** A create that leaves what is there as it is: those that were sent before it are outdated all the same. */
function remembered(decision: Decision, command: CreateCommand): Decision {
  const place = placeOf(command)
  return decision.type === 'keep' && place !== null ? write(remembering(decision.timer, place)) : decision
}

function refused(existing: Timer, command: Command): Decision {
  const error = tooLate(existing, command)
  const sent = placeOf(command)
  const place = sent === null ? null : placeBefore(existing, sent)
  if (place === null) throw error
  return { type: 'refuse', timer: remembering(existing, place), error }
}

function isRetriedBy(command: Command, { status }: Timer): boolean {
  return command.type === 'update' && command.retry === true && status === Status.failed
}

export function timerNotFound(key: Pick<Timer, 'namespace' | 'id'>): DuetimeError {
  return new DuetimeError(ErrorCode.timerNotFound, `no timer '${key.id}' in namespace '${key.namespace}'`, {
    namespace: key.namespace,
    id: key.id,
  })
}

function versionConflict(timer: Timer, ifVersion: number): DuetimeError {
  return new DuetimeError(
    ErrorCode.versionConflict,
    `the timer is at version ${timer.version}, not ${ifVersion}: read it again`,
    {
      ifVersion,
      version: timer.version,
    },
  )
}

function tooLate(timer: Timer, command: Command): DuetimeError {
  const reason =
    timer.status === Status.executing
      ? 'it is being delivered now'
      : `its status is '${timer.status}'${wayBack(timer, command)}`
  return new DuetimeError(ErrorCode.timerNotPending, `cannot ${command.type} timer '${timer.id}': ${reason}`, {
    status: timer.status,
  })
}

function wayBack({ status }: Timer, command: Command): string {
  if (command.type !== 'update') return ''
  if (status === Status.failed) return '; with retry: true an update brings a failed timer back'
  return command.retry === true ? '; only a failed timer can be retried; a create on its id makes it anew' : ''
}
