// Carries out a batch of commands. They run side by side, so that they share commits, and each is acknowledged when it
// is durable. Of several commands for one timer in a batch only the one that was sent last runs: it is what they come to, and
// an outdated due time that comes again after a crash must not fire on the way. Between batches and nodes the timer itself
// judges which was sent last: see core/rules/sent-commands.ts. So a message can be put back without a look at those behind it.
//
// Three things can go wrong. The message is at fault: it goes to the dead letters. We are at fault, because the store is
// down: the message is kept, prolonged and tried again, and costs nobody a delivery. Nobody knows: it comes again, later
// each time, and goes to the dead letters after the fifth time.

import { headerOf } from '../../broker/broker.ts'
import type { Delivery } from '../../broker/broker.ts'
import type { Command } from '../../core/rules/command.ts'
import { DuetimeError, ErrorCode } from '../../core/errors.ts'
import { Status } from '../../core/timer/timer.ts'
import type { Millis, StreamPlace, TimerUuid } from '../../core/timer/timer.ts'
import { sleep } from '../../runtime/clock/clock.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import type { Logger } from '../../runtime/telemetry/logger.ts'
import { CommandResult } from '../../runtime/telemetry/metrics-commands.ts'
import type { CommandMetrics } from '../../runtime/telemetry/metrics-commands.ts'
import type { Timers } from '../../service/timers.ts'
import type { Subjects } from '../subjects.ts'
import { toCommand } from './commands.ts'
import type { DeadLetters } from './dead-letters.ts'
import { MalformedMessage, parseEnvelope } from './envelope.ts'

export const DELIVERIES_MAX = 5
export const BACK_OFF_MS: readonly Millis[] = [1_000, 5_000, 25_000]
const KEPT_FOR_MS = 120_000 // then somebody else may have a store that works
const WARN_EVERY_MS = 30_000

const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/

export type CommandHandlerParts = {
  readonly timers: Pick<Timers, 'execute'>
  readonly deadLetters: DeadLetters
  readonly subjects: Subjects
  readonly eventsSubject: string
  readonly clock: Clock
  readonly logger: Logger
  readonly observer: CommandObserver
  /** Ends the waiting for a store that does not come back. */
  readonly signal: AbortSignal
}

/** Told what happens to commands. */
export type CommandObserver = Pick<CommandMetrics, 'received' | 'settled' | 'deadLetter'>

/** What is to be done, and the messages that asked for it, oldest first. */
type Task = { command: Command; place: StreamPlace; readonly deliveries: Delivery[] }

export class CommandHandler {
  readonly #parts: CommandHandlerParts
  #warnedAt = -Infinity
  #heldSince: number | null = null

  constructor(parts: CommandHandlerParts) {
    this.#parts = parts
  }

  /** How long the batch in hand has been worked on; 0 when there is none. */
  get heldMs(): Millis {
    return this.#heldSince === null ? 0 : this.#parts.clock.monotonic() - this.#heldSince
  }

  async handle(batch: readonly Delivery[]): Promise<void> {
    this.#heldSince = this.#parts.clock.monotonic()
    this.#parts.observer.received(batch.length, batch.filter(({ deliveries }) => deliveries > 1).length)
    try {
      await this.#handle(batch)
    } finally {
      this.#heldSince = null
    }
  }

  async #handle(batch: readonly Delivery[]): Promise<void> {
    const tasks = new Map<TimerUuid, Task>()
    const refused: Promise<void>[] = []
    for (const delivery of batch) {
      const read = this.#read(delivery)
      if (read === null) this.#ack(delivery, CommandResult.ignored)
      else if (read instanceof MalformedMessage) refused.push(this.#bury(delivery, read.message))
      else addTo(tasks, delivery, read)
    }
    await Promise.all([...refused, ...Array.from(tasks.values(), (task) => this.#perform(task))])
  }

  #read(delivery: Delivery): Command | MalformedMessage | null {
    const { subjects, eventsSubject, clock, logger } = this.#parts
    try {
      const envelope = parseEnvelope(delivery.data)
      const traceparent = headerOf(delivery, 'traceparent') ?? ''
      const command = toCommand(envelope, {
        subjects,
        eventsSubject,
        now: clock.now(),
        namespace: subjects.namespaceIn(delivery.subject),
        traceparent: TRACEPARENT.test(traceparent) ? traceparent : null,
        place: delivery.place,
      })
      if (command === null) {
        logger.warn(
          { type: envelope.type, messageId: envelope.id, subject: delivery.subject },
          'ignored a message of unknown type',
        )
      }
      return command
    } catch (error) {
      if (error instanceof MalformedMessage) return error
      if (error instanceof DuetimeError) return new MalformedMessage(error.message)
      throw error
    }
  }

  async #perform(task: Task): Promise<void> {
    const failure = await this.#execute(task.command)
    for (const delivery of task.deliveries) await this.#settle(delivery, failure)
  }

  /** Null when it is done, or there is nothing left to do. */
  async #execute(command: Command): Promise<Error | null> {
    const { timers, clock, signal } = this.#parts
    const until = clock.monotonic() + KEPT_FOR_MS
    for (let round = 0; ; round++) {
      try {
        await timers.execute(command)
        return null
      } catch (error) {
        if (command.type === 'cancel' && isTooLate(error)) return null
        if (!isUnavailable(error) || signal.aborted || clock.monotonic() > until) return error as Error
        this.#warnNowAndThen(error)
        await sleep(clock, BACK_OFF_MS[Math.min(round, 1)]!, signal).catch(() => {})
      }
    }
  }

  /** A batch waits as one; a line for each command would drown the log that explains the outage. */
  #warnNowAndThen(error: unknown): void {
    const now = this.#parts.clock.monotonic()
    if (now - this.#warnedAt < WARN_EVERY_MS) return
    this.#warnedAt = now
    this.#parts.logger.warn({ err: error }, 'commands wait for the store')
  }

  #settle(delivery: Delivery, failure: Error | null): Promise<void> | void {
    if (failure === null) return this.#ack(delivery, CommandResult.done)
    const again = () => this.#putBack(delivery)
    if (isUnavailable(failure) || isBeingDelivered(failure)) return again()
    if (failure instanceof DuetimeError && failure.code !== ErrorCode.internal)
      return this.#bury(delivery, failure.message)
    this.#parts.logger.error(
      { err: failure, deliveries: delivery.deliveries, origin: delivery.origin },
      'a command failed unexpectedly',
    )
    if (delivery.deliveries < DELIVERIES_MAX) return again()
    return this.#bury(delivery, `failed ${delivery.deliveries} times, the last time with: ${failure.message}`)
  }

  /** Dead letters are no way to lose a message: until one is stored, the original stays. */
  async #bury(delivery: Delivery, reason: string): Promise<void> {
    try {
      await this.#parts.deadLetters.add(delivery, reason)
      this.#parts.observer.deadLetter()
      this.#ack(delivery, CommandResult.refused)
    } catch (error) {
      this.#parts.logger.warn(
        { err: error, origin: delivery.origin, reason },
        'a dead letter could not be stored; the message comes again',
      )
      this.#putBack(delivery)
    }
  }

  #ack(delivery: Delivery, result: CommandResult): void {
    this.#parts.observer.settled(result)
    delivery.ack()
  }

  #putBack(delivery: Delivery): void {
    this.#parts.observer.settled(CommandResult.putBack)
    delivery.nak(backOffMs(delivery))
  }
}

function addTo(tasks: Map<TimerUuid, Task>, delivery: Delivery, command: Command): void {
  const task = tasks.get(command.uuid)
  const { place } = delivery
  if (task === undefined) return void tasks.set(command.uuid, { command, place, deliveries: [delivery] })
  task.deliveries.push(delivery)
  if (place.stream === task.place.stream && place.sequence < task.place.sequence) return
  task.command = command
  task.place = place
}

function backOffMs({ deliveries }: Delivery): Millis {
  return BACK_OFF_MS[Math.min(deliveries, BACK_OFF_MS.length) - 1]!
}

function isUnavailable(error: unknown): boolean {
  return error instanceof DuetimeError && error.code === ErrorCode.unavailable
}

/** What is to be canceled is done. */
function isTooLate(error: unknown): boolean {
  return error instanceof DuetimeError && error.code === ErrorCode.timerNotPending && !isBeingDelivered(error)
}

/** Whether it is too late to cancel it shows when the delivery has ended: if it fails, the timer is scheduled still. */
function isBeingDelivered(error: Error): boolean {
  return (
    error instanceof DuetimeError &&
    error.code === ErrorCode.timerNotPending &&
    error.details['status'] === Status.executing
  )
}
