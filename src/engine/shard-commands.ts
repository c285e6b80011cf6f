// The commands on the timers of one owned shard: what is known of the timer, the rule, the write. Nearly all find what they need in
// memory: these are judged in the turn in which they come, and nothing waits but the promise of whoever asked. Those that have to
// look into the store first, or were missed by their write, are executed step by step.

import type { ShardCommand } from '../core/rules/command.ts'
import { standsAlone } from '../core/rules/create.ts'
import { decide } from '../core/rules/decide.ts'
import type { Decision, RuleContext } from '../core/rules/steps.ts'
import { invalidInput, unavailable } from '../core/errors.ts'
import type { DuetimeError } from '../core/errors.ts'
import { isSameTimer } from '../core/timer/ids.ts'
import type { Calendars } from '../core/time/recurring/on-calendar.ts'
import type { Millis, Namespace, Timer } from '../core/timer/timer.ts'
import { needsCalendar } from './calendars/node-calendars.ts'
import type { NodeCalendars } from './calendars/node-calendars.ts'
import { notOwner, RETRY_AFTER_MS, ROUNDS_MAX, storeFailed } from './commit/owned-rows.ts'
import type { ChangeMaker, ChangeResult, OwnedRows, RowsParts } from './commit/owned-rows.ts'
import type { Window } from './window/window.ts'

/** What a command did: the timer as it is stored now, and the one that it took the place of. */
export type Executed = { readonly timer: Timer; readonly previous: Timer | null; readonly changed: boolean }

/** Whoever gave commands. It is told once of each, with the place that it gave it among several, and must not throw. */
export type CommandOutcomes = {
  executed(place: number, result: Executed): void
  /** With a DuetimeError when it is refused or the store failed. */
  refused(place: number, error: unknown): void
}

export type CommandsParts = Pick<RowsParts, 'commits' | 'clock' | 'store' | 'outbox' | 'split'> & {
  readonly window: Window
  readonly calendars: Pick<NodeCalendars, 'of'>
  /** False while this node cannot be sure that the shard is still its own. */
  readonly mayStart: () => boolean
  readonly retentionMs: (namespace: Namespace) => Millis
}

/** The parts of the shard that commands work with. */
export type CommandsShard = {
  readonly rows: OwnedRows
  /** Aborts when the shard is not to fire any more. */
  readonly stopped: AbortSignal
  /** The timer as the outside sees it. */
  readonly view: (timer: Timer) => Timer
}

/** When a command is judged, and by which calendars. */
type Moment = Pick<RuleContext, 'now' | 'calendars'> & { readonly arrivedAt: Millis }
type Judged = Decision | { readonly type: 'throw'; readonly error: unknown }

export class ShardCommands {
  readonly #parts: CommandsParts
  readonly #shard: CommandsShard

  constructor(parts: CommandsParts, shard: CommandsShard) {
    this.#parts = parts
    this.#shard = shard
  }

  /** Its giver is told when the change is durable. */
  begin(command: ShardCommand, outcomes: CommandOutcomes, place: number): void {
    const { clock, commits, store } = this.#parts
    const now = clock.now()
    const arrivedAt = now - (command.waitedMs ?? 0)
    if (needsCalendar(command, null) || commits.isUnderWay(command.uuid))
      return tell(this.#stepByStep(command, arrivedAt), outcomes, place)
    try {
      this.#assertSure(command)
      const existing = this.#inMemory(command)
      if (existing === null ? !standsAlone(command, arrivedAt) : needsCalendar(command, existing))
        return tell(this.#stepByStep(command, arrivedAt), outcomes, place)
      const judged = this.#judged(existing, command, { now, arrivedAt })
      if (judged.type === 'keep' || judged.type === 'throw') {
        if (existing !== null && store.capabilities.shared)
          return tell(this.#stepByStep(command, arrivedAt), outcomes, place)
        if (judged.type === 'throw') throw judged.error
        outcomes.executed(place, { timer: judged.timer, previous: existing, changed: false })
        return
      }
      this.#assertRoom()
      const maker = new CommandedChange(this, { command, arrivedAt, existing, decision: judged }, outcomes, place)
      this.#shard.rows.startChange(existing, judged.timer, maker)
    } catch (error) {
      outcomes.refused(place, error)
    }
  }

  /** Its write met this row, or none where it expected one. */
  judgeAgain({ command, arrivedAt }: Commanded, row: Timer | null, outcomes: CommandOutcomes, place: number): void {
    tell(this.#stepByStep(command, arrivedAt, { row }), outcomes, place)
  }

  /** `missed`: what the first write of the command met. */
  async #stepByStep(
    command: ShardCommand,
    arrivedAt: Millis,
    missed: { readonly row: Timer | null } | null = null,
  ): Promise<Executed> {
    const { commits, clock, store } = this.#parts
    // Before anything is looked up: what is known of the timer now would be old after this wait.
    let calendars = needsCalendar(command, null) ? await this.#calendarsOf(command) : undefined
    let existing = missed?.row ?? null
    let isFromMemory = false
    if (missed === null) {
      // Who reads the store may have seen that change already, and memory does not know it: an answer from memory would deny it.
      const underWay = commits.underWay(command.uuid)
      if (underWay !== null) await underWay
      this.#assertSure(command)
      existing = this.#inMemory(command)
      // A fail-over of the database may have given the shard to another node, and this one hears of it late. A write is refused then;
      // an answer that needs none is given by what is stored.
      isFromMemory = existing !== null && store.capabilities.shared
      if (existing === null && !standsAlone(command, arrivedAt, calendars)) existing = await this.#read(command)
    }
    for (let round = missed === null ? 0 : 1; round < ROUNDS_MAX; round++) {
      if (calendars === undefined && needsCalendar(command, existing)) {
        calendars = await this.#calendarsOf(command)
        existing = await this.#read(command)
        isFromMemory = false
      }
      const judged = this.#judged(existing, command, { now: clock.now(), arrivedAt, calendars })
      if (isFromMemory && (judged.type === 'keep' || judged.type === 'throw')) {
        existing = await this.#read(command)
        isFromMemory = false
        continue
      }
      if (judged.type === 'throw') throw judged.error
      if (judged.type === 'keep') return { timer: judged.timer, previous: existing, changed: false }
      this.#assertRoom()
      const result = await this.#shard.rows.change(existing, judged.timer)
      if (result.type === 'written') {
        if (judged.type === 'refuse') throw judged.error
        return { timer: judged.timer, previous: existing, changed: true }
      }
      existing = result.row
    }
    throw unavailable(`timer '${command.id}' is being changed by too many others at once`, RETRY_AFTER_MS)
  }

  #judged(existing: Timer | null, command: ShardCommand, { now, arrivedAt, calendars }: Moment): Judged {
    const context: RuleContext = {
      now,
      arrivedAt,
      retentionMs: this.#parts.retentionMs(command.namespace),
      calendars,
    }
    if (existing !== null && !isSameTimer(existing, command)) return { type: 'throw', error: keyTaken(command) }
    try {
      return decide(existing === null ? null : this.#shard.view(existing), command, context)
    } catch (error) {
      return { type: 'throw', error }
    }
  }

  /** Null for a timer of another name, too: whoever writes over it is told by the store. */
  #inMemory(command: ShardCommand): Timer | null {
    const timer = this.#parts.window.get(command.uuid)?.timer ?? null
    return timer === null || isSameTimer(timer, command) ? timer : null
  }

  /** What is in memory may be out of date else, and a refusal by it would be wrong. The shard may have been lost meanwhile. */
  #assertSure({ uuid }: ShardCommand): void {
    const { rows, stopped } = this.#shard
    if (stopped.aborted || !this.#parts.mayStart() || rows.isUnsure(uuid)) throw notOwner()
  }

  #assertRoom(): void {
    const { commits, outbox, split } = this.#parts
    commits.assertRoom(1 + (split?.placing ?? 0))
    outbox?.assertRoom()
  }

  /** Null when it is surely not there: who may have lost the shard by now has perhaps looked where it was before. */
  async #read(command: ShardCommand): Promise<Timer | null> {
    const row = await this.#shard.rows.read(command)
    if (row === null && !this.#parts.mayStart()) throw notOwner()
    return row
  }

  async #calendarsOf({ namespace }: ShardCommand): Promise<Calendars> {
    try {
      return await this.#parts.calendars.of(namespace)
    } catch (error) {
      throw storeFailed(error)
    }
  }
}

/** A command that was judged on what memory knew. */
type Commanded = {
  readonly command: ShardCommand
  readonly arrivedAt: Millis
  readonly existing: Timer | null
  readonly decision: Decision
}

/** Its change on the way to the store. */
class CommandedChange implements ChangeMaker {
  readonly #commands: ShardCommands
  readonly #commanded: Commanded
  readonly #outcomes: CommandOutcomes
  readonly #place: number

  constructor(commands: ShardCommands, commanded: Commanded, outcomes: CommandOutcomes, place: number) {
    this.#commands = commands
    this.#commanded = commanded
    this.#outcomes = outcomes
    this.#place = place
  }

  changed(result: ChangeResult): void {
    const { decision, existing } = this.#commanded
    if (result.type === 'missed') this.#commands.judgeAgain(this.#commanded, result.row, this.#outcomes, this.#place)
    else if (decision.type === 'refuse') this.#outcomes.refused(this.#place, decision.error)
    else this.#outcomes.executed(this.#place, { timer: decision.timer, previous: existing, changed: true })
  }

  failed(error: unknown): void {
    this.#outcomes.refused(this.#place, error)
  }
}

/** Ids whose keys are the same can be searched for; only who did so meets this. It does not say whose the other one is. */
function keyTaken({ id }: ShardCommand): DuetimeError {
  return invalidInput('id', `the id '${id}' has the same hash as that of another timer: choose another one`)
}

function tell(executing: Promise<Executed>, outcomes: CommandOutcomes, place: number): void {
  executing.then(
    (result) => outcomes.executed(place, result),
    (error: unknown) => outcomes.refused(place, error),
  )
}
