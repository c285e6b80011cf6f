// Deliveries of firings that run beside the current one of their timer (`overlap: allow`). The row lists them, so here is only
// what the row does not say: which of them wait for a slot or are being delivered now. An entry of the window wakes for the
// first of them that nobody sees to yet; what came of an attempt changes the row as a command does, one outcome after the other.

import { DuetimeError, ErrorCode } from '../../core/errors.ts'
import { settleRunning } from '../../core/rules/running/settle-running.ts'
import type { EndedAttempt } from '../../core/rules/settle.ts'
import type { DeliveryOutcome } from '../../core/timer/delivery.ts'
import { dueRunning, RUNNING_MAX, runningAs } from '../../core/timer/running-firings.ts'
import { isFinished, NEVER, Overlap, Status } from '../../core/timer/timer.ts'
import type { Millis, Timer, TimerUuid } from '../../core/timer/timer.ts'
import { sleep } from '../../runtime/clock/clock.ts'
import type { OwnedRows } from '../commit/owned-rows.ts'
import type { Entry } from '../window/entry.ts'
import { attemptOnce, endedHow, WRITE_AGAIN_FIRST_MS, WRITE_AGAIN_MAX_MS } from './attempt.ts'
import type { Job } from './dispatcher.ts'
import type { DeliveryParts, DeliveryReporter, DeliveryShard } from './in-flight-deliveries.ts'

export type RunningShard = DeliveryShard & {
  readonly rows: Pick<OwnedRows, 'change' | 'read'>
  /** The current firing of the entry, which has come due, too. */
  readonly currentIsDue: (entry: Entry) => void
}

/** `ready` for a slot, being delivered here (as this timer), or by another node. */
type UnderWay = 'ready' | 'elsewhere' | Timer

/** An attempt of a running firing that has ended, wherever it was made. */
export type EndedRunning = {
  readonly timer: Pick<Timer, 'namespace' | 'id' | 'uuid'>
  readonly firing: number
  /** Made before this one. */
  readonly attempts: number
  readonly ended: EndedAttempt
  readonly arrivedAt: Millis
}

export class RunningDeliveries {
  readonly #parts: DeliveryParts
  readonly #shard: RunningShard
  readonly #underWay = new Map<TimerUuid, Map<number, UnderWay>>()
  /** Outcomes of one timer are stored one after the other: each changes the same row. */
  readonly #settling = new Map<TimerUuid, Promise<void>>()
  readonly #deliveries = new Set<Promise<void>>()
  #reporter: DeliveryReporter | null = null

  constructor(parts: DeliveryParts, shard: RunningShard) {
    this.#parts = parts
    this.#shard = shard
  }

  get size(): number {
    return this.#deliveries.size
  }

  /** Those that are being delivered here. */
  timers(): Timer[] {
    return [...this.#underWay.values()].flatMap((firings) =>
      [...firings.values()].filter((one) => typeof one !== 'string'),
    )
  }

  async allEnded(): Promise<void> {
    while (this.#deliveries.size > 0) await Promise.all(this.#deliveries)
  }

  /** Another node is the owner: it hears how the deliveries end. */
  reportTo(reporter: DeliveryReporter): void {
    this.#reporter = reporter
  }

  /** Something of the entry's timer has come due. */
  wake(entry: Entry, now: Millis): void {
    const { timer } = entry
    for (const { firing } of dueRunning(timer, now))
      if (!this.isUnderWay(timer.uuid, firing)) this.#makeReady(timer, firing)
    const currentAt = currentWakeAt(timer)
    if (currentAt <= now) this.#shard.currentIsDue(entry)
    else this.#parts.window.putBackUntil(entry, this.#nextWakeAt(timer, currentAt))
  }

  isUnderWay(uuid: TimerUuid, firing: number): boolean {
    return this.#underWay.get(uuid)?.has(firing) === true
  }

  /** Another node delivers it. */
  holdElsewhere(uuid: TimerUuid, firing: number): void {
    this.#set(uuid, firing, 'elsewhere')
  }

  releaseElsewhere(uuid: TimerUuid, firing: number): void {
    if (this.#underWay.get(uuid)?.get(firing) === 'elsewhere') this.#forget(uuid, firing)
  }

  /**
   * Resolves when the outcome is durable, or does not matter any more. Rejects when another node owns the shard. `waiting` is told if
   * its turn has not come yet.
   */
  async settle(attempt: EndedRunning, waiting?: (turn: Promise<void>) => void): Promise<void> {
    const { uuid } = attempt.timer
    const turn = this.#settling.get(uuid)?.catch(() => {})
    const own = turn === undefined ? this.#settle(attempt) : turn.then(() => this.#settle(attempt))
    this.#settling.set(uuid, own)
    if (turn !== undefined) waiting?.(turn)
    try {
      await own
    } finally {
      if (this.#settling.get(uuid) === own) this.#settling.delete(uuid)
    }
  }

  #nextWakeAt({ uuid, status, running }: Timer, currentAt: Millis): Millis {
    if (status === Status.paused) return currentAt
    const waiting = running!.firings.filter(({ firing }) => !this.isUnderWay(uuid, firing))
    return waiting.reduce((first, { wakeAt }) => Math.min(first, wakeAt), currentAt)
  }

  #makeReady(timer: Timer, firing: number): void {
    const { targetFor, window, dispatcher } = this.#parts
    const { uuid, namespace, tenant } = timer
    const adapter = targetFor(timer.target)
    const destination = adapter.destinationOf(timer.target, namespace)
    const current = () => {
      const row = window.get(uuid)?.timer
      const isSame = row !== undefined && targetFor(row.target).destinationOf(row.target, namespace) === destination
      return isSame && this.#underWay.get(uuid)?.get(firing) === 'ready' ? runningAs(row, firing) : null
    }
    const job: Job = {
      tenant,
      namespace,
      target: destination,
      start: () => this.#start(uuid, firing, job, current()),
      isGone: () => this.#isGone(uuid, firing),
      ...(adapter.isOpen !== undefined && { isOpen: () => adapter.isOpen!(destination) }),
    }
    this.#set(uuid, firing, 'ready')
    dispatcher.add(job)
  }

  /** It was evicted from memory, say. The job is dropped then, so nobody sees to the firing any more. */
  #isGone(uuid: TimerUuid, firing: number): boolean {
    const isGone = this.#shard.stopped.aborted || this.#parts.window.get(uuid) === undefined
    if (isGone && this.#underWay.get(uuid)?.get(firing) === 'ready') this.#forget(uuid, firing)
    return isGone
  }

  /** Asked when its turn has come: is it still to be delivered, still due, and no change of the timer on its way? */
  #start(uuid: TimerUuid, firing: number, job: Job, timer: Timer | null): boolean {
    const { clock, mayStart, window } = this.#parts
    const now = clock.now()
    const isWanted = timer !== null && !this.#shard.stopped.aborted && window.get(uuid)!.timer.status !== Status.paused
    if (!isWanted || this.#shard.holds.has(uuid) || now < timer.wakeAt || !mayStart()) {
      if (this.#underWay.get(uuid)?.get(firing) === 'ready') this.#forget(uuid, firing)
      return false
    }
    this.#set(uuid, firing, timer)
    const delivery = this.#run(timer, job, now).finally(() => {
      this.#deliveries.delete(delivery)
      this.#parts.dispatcher.settled()
    })
    this.#deliveries.add(delivery)
    return true
  }

  async #run(timer: Timer, job: Job, startedAt: Millis): Promise<void> {
    const { clock, targetFor, dispatcher } = this.#parts
    const { uuid, firing, attempts } = timer
    const adapter = targetFor(timer.target)
    const startedMono = clock.monotonic()
    const outcome = await new Promise<DeliveryOutcome | null>((ended) =>
      attemptOnce(this.#parts, timer, startedAt, adapter, ended),
    )
    dispatcher.ended(job, endedHow(outcome, adapter))
    const endedMono = clock.monotonic()
    const ended = outcome && { startedAt, durationMs: Math.round(endedMono - startedMono), outcome }
    try {
      if (ended !== null)
        await this.settle(
          { timer, firing, attempts, ended, arrivedAt: clock.now() },
          (turn) => void dispatcher.whileHeldUp(turn),
        )
      await this.#report(timer, null, endedMono)
    } catch {
      // The shard is another node's by now.
      await this.#report(timer, ended, endedMono)
    } finally {
      // An attempt that was abandoned is not made again here: this node is stopping.
      if (outcome === null) this.#set(uuid, firing, 'elsewhere')
      else this.#forget(uuid, firing)
    }
  }

  async #report(timer: Timer, ended: EndedAttempt | null, endedMono: number): Promise<void> {
    if (this.#reporter === null) return
    await this.#parts.dispatcher.whileHeldUp(this.#reporter.report(timer, ended, endedMono))
  }

  /** As with other outcomes, it is not given up while the service runs. */
  async #settle(attempt: EndedRunning): Promise<void> {
    const { clock, logger, signal } = this.#parts
    for (let waitMs = WRITE_AGAIN_FIRST_MS; ; waitMs = Math.min(waitMs * 2, WRITE_AGAIN_MAX_MS)) {
      try {
        return await this.#writeOutcome(attempt)
      } catch (error) {
        if (error instanceof DuetimeError && error.code === ErrorCode.notOwner) throw error
        const { namespace, id } = attempt.timer
        if (waitMs === WRITE_AGAIN_FIRST_MS)
          logger.error({ namespace, id, err: error }, 'could not store the outcome of a delivery; trying again')
      }
      await sleep(clock, waitMs, signal)
    }
  }

  async #writeOutcome({ timer, firing, attempts, ended, arrivedAt }: EndedRunning): Promise<void> {
    const { clock, window, observer, retentionMs, rescheduleMinMs } = this.#parts
    const { rows } = this.#shard
    let row = window.get(timer.uuid)?.timer ?? (await rows.read(timer))
    for (;;) {
      const delivered = row === null || isFinished(row) ? null : runningAs(row, firing)
      // The timer was canceled or made anew, or this very outcome was stored before its answer was lost.
      if (row === null || delivered === null || delivered.attempts !== attempts) return
      const context = { now: clock.now(), arrivedAt, retentionMs: retentionMs(row.namespace), rescheduleMinMs }
      const after = settleRunning(row, firing, ended, context)!
      const result = await rows.change(row, after)
      if (result.type === 'written') return observer.settled(delivered, after, ended.outcome, ended.durationMs)
      row = result.row
    }
  }

  #set(uuid: TimerUuid, firing: number, how: UnderWay): void {
    const firings = this.#underWay.get(uuid) ?? new Map<number, UnderWay>()
    this.#underWay.set(uuid, firings.set(firing, how))
  }

  /** Nobody sees to it any more; if the row still lists it, it wakes for it. */
  #forget(uuid: TimerUuid, firing: number): void {
    const { window, wakeBy } = this.#parts
    const firings = this.#underWay.get(uuid)
    firings?.delete(firing)
    if (firings?.size === 0) this.#underWay.delete(uuid)
    const entry = this.#shard.stopped.aborted ? undefined : window.get(uuid)
    if (entry?.state !== 'waiting' || entry.timer.running === null) return
    window.renew(entry)
    wakeBy(entry.timer.wakeAt)
  }
}

/** When its current firing is due. One that would begin waits while as many run as may. */
function currentWakeAt({ running, overlap, extra, attempts, status }: Timer): Millis {
  const wouldBegin = overlap === Overlap.allow && extra === null && attempts === 0 && status === Status.pending
  return wouldBegin && running!.firings.length >= RUNNING_MAX ? NEVER : running!.wakeAt
}
