// Decides which due timer is delivered next. Slots are shared between tenants first, then between the namespaces of a
// tenant, then between the targets of a namespace; whoever holds fewest goes first. A target that keeps failing to answer
// is given fewer slots, down to one.
//
// Who will hang cannot be told in advance, so no share rests on it: a tenant may hold at most TENANT_FACTOR times as many
// slots as are free. With `n` tenants that take all they can get, 1 / (1 + n × TENANT_FACTOR) of the slots stay free,
// whatever they do with theirs and however many namespaces and targets they have. See docs/decisions/0023.

import type { Namespace } from '../../core/timer/timer.ts'
import { DeliveryQueues, takeFirst } from './delivery-queues.ts'
import type { Queue, TenantQueues } from './delivery-queues.ts'
import type { StartPace } from './pace/start-pace.ts'

export interface Job {
  /** Null for all that belongs to no tenant; see `tenantOf`. */
  readonly tenant: string | null
  readonly namespace: Namespace
  readonly target: string
  /** A missed iteration: it waits beside what is on time, and not before it. */
  readonly isCatchUp?: boolean
  /** Called when its turn has come. False: it is not wanted any more and takes no slot. */
  start(): boolean
  /** Known before its turn: it will not be wanted, ever. */
  isGone(): boolean
  /** False while nothing of its queue can start; absent, it always can. Asked again when one of the queue has ended, and by `open`. */
  isOpen?(): boolean
  /** Belongs to the dispatcher: where the job was added. */
  queue?: Queue | undefined
}

/** `unreachable`: no answer at all (refused, reset, timed out). Only that says something about the target's health. */
export type Ended = 'answered' | 'unreachable'

/** `perTarget`: slots that a tenant has of a target. */
export type DispatcherLimits = { readonly total: number; readonly perNamespace: number; readonly perTarget: number }

/** How far starts run ahead of the store. */
export type Pace = Pick<StartPace, 'mayStart' | 'whenRoom' | 'started' | 'stored' | 'newTurn' | 'idle'>

const TENANT_FACTOR = 4 // a tenant alone has four fifths of the slots; one that hangs leaves a fifth, ten leave a fortieth
/** A namespace may hold twice as many slots as its tenant could still take: `n` that hang leave 1 / (1 + 2n) of the tenant's. */
const NAMESPACE_FACTOR = 2
const QUEUE_COMPACT_AT = 1_024 // started jobs are cut off a long queue in bunches, so that taking the first stays cheap
const SWEEP_AT_MIN = 1_024 // fewer are not worth looking for those that are gone

export class Dispatcher {
  readonly #limits: DispatcherLimits
  /** Outcomes that may wait: more than one commit takes, so that the next one has gathered when it is done. */
  readonly #settlingMax: number
  readonly #pace: Pace
  readonly #queues: DeliveryQueues
  /** Tenants whose namespaces have all they may hold now. When any slot is free again that may have changed. */
  readonly #resting = new Set<TenantQueues>()
  /** Queues that were not open when their turn came. */
  readonly #closed = new Set<Queue>()
  #inFlight = 0
  #settling = 0
  /** Of these, those that wait for something else than the store. */
  #heldUp = 0
  #started = 0
  #waiting = 0
  #isPausing = false
  #waitingToCatchUp = 0
  #sweepAt = SWEEP_AT_MIN
  #running = false
  readonly #look = (): void => this.run()

  /** Without a `pace`, they start as soon as they have a slot. */
  constructor(limits: DispatcherLimits, pace?: Pace) {
    this.#limits = limits
    this.#settlingMax = 2 * limits.total
    this.#pace = pace ?? UNPACED
    this.#queues = new DeliveryQueues(limits.perTarget)
  }

  get inFlight(): number {
    return this.#inFlight
  }

  /** How many have been started so far. */
  get started(): number {
    return this.#started
  }

  /** Due, and waiting for a slot. */
  get waiting(): number {
    return this.#waiting
  }

  /** Of these, the missed iterations. */
  get waitingToCatchUp(): number {
    return this.#waitingToCatchUp
  }

  /** More start in the next turn of the event loop. */
  get isPausing(): boolean {
    return this.#isPausing
  }

  /** Something waits that could start if it had a slot. A queue that is closed may stay so for ever. */
  get isBehind(): boolean {
    let closed = 0
    for (const queue of this.#closed) if (!isOpen(queue)) closed += queue.jobs.length - queue.head
    return this.#waiting > closed
  }

  /** What is remembered beside the jobs: those with jobs waiting or in flight, and a bounded number of sick targets. */
  get known(): { readonly namespaces: number; readonly targets: number } {
    return this.#queues.known
  }

  add(job: Job): void {
    if (this.#waiting >= this.#sweepAt) this.sweep()
    const queue = (job.queue = this.#queues.queueFor(job))
    if (queue.jobs.push(job) === 1) this.#queues.makeReady(queue)
    this.#count(job, 1)
  }

  /** The delivery that `start` began is over. Until `settled`, what came of it waits for the store. */
  ended(job: Job, how: Ended): void {
    this.#inFlight--
    this.#settling++
    const { namespace, target } = job.queue!
    target.slots =
      how === 'answered' ? Math.min(target.slots + 1, this.#limits.perTarget) : Math.max(target.slots >> 1, 1)
    this.#queues.hold(namespace, target, -1)
    this.#queues.unblock(target)
    if (this.#closed.size > 0) this.#openAfter(job)
    this.#queues.forgetIfUnused(namespace, target)
    this.run()
  }

  /** Its queue was closed, perhaps because it was under way. */
  #openAfter(job: Job): void {
    const queue = this.#queues.find(job.queue!.namespace, job)
    if (queue !== undefined && this.#closed.delete(queue)) this.#queues.makeReady(queue)
  }

  /** What came of a delivery is durable, or is somebody else's business now. */
  settled(): void {
    this.#pace.stored()
    this.#settling--
    this.run()
    if (this.#settling === 0 && this.#waiting === 0) this.#pace.idle()
  }

  /**
   * An outcome waits for something else than the store until then: for another outcome of its timer, or another node. It says nothing
   * about how far starts run ahead of the store, and does not hold up the timers of others.
   */
  async whileHeldUp<Result>(until: Promise<Result>): Promise<Result> {
    this.#heldUp++
    this.run()
    try {
      return await until
    } finally {
      this.#heldUp--
    }
  }

  /** Queues that were closed may be open now. */
  open(): void {
    for (const queue of this.#closed) this.#queues.makeReady(queue)
    this.#closed.clear()
    this.run()
  }

  /** Starts as many as the limits allow. A store that does not answer stops them, so that outcomes do not pile up. */
  run(): void {
    // A job may end, and so call back, while it is being started: the loop below sees the slot that it freed.
    if (this.#running || this.#isPausing) return
    this.#running = true
    try {
      while (this.#hasRoom && this.#waiting > 0 && this.#mayGoOn()) {
        const queue = this.#nextQueue()
        if (queue === null) break
        this.#start(queue)
      }
    } finally {
      this.#running = false
    }
    if (this.#resting.size > 0) this.#rested()
  }

  get #hasRoom(): boolean {
    return this.#inFlight < this.#limits.total && this.#settling < this.#settlingMax
  }

  #mayGoOn(): boolean {
    const waiting = this.#settling - this.#heldUp
    const mayStart = this.#pace.mayStart(waiting)
    if (mayStart === 'later') this.#pause()
    if (mayStart === 'no') this.#pace.whenRoom(waiting, this.#look)
    return mayStart === 'yes'
  }

  #pause(): void {
    this.#isPausing = true
    setImmediate(() => {
      this.#isPausing = false
      this.#pace.newTurn()
      this.run()
    })
  }

  /**
   * A timer that is updated, or evicted from memory and loaded again, waits with a new job, and the old one is gone. Behind
   * a dead host their turn may not come for long; so whenever the jobs have doubled, those that are gone are dropped, and
   * when a shard has left, whose whole window they would keep in memory.
   */
  sweep(): void {
    for (const queue of this.#queues.all()) {
      const wanted = queue.jobs.filter((job, index) => index >= queue.head && !job.isGone())
      if (queue.jobs.length > 0) this.#count(queue.jobs.at(-1)!, -(queue.jobs.length - queue.head - wanted.length))
      queue.jobs = wanted
      queue.head = 0
      if (wanted.length === 0) this.#close(queue)
      this.#queues.forgetIfUnused(queue.namespace, queue.target)
    }
    this.#sweepAt = Math.max(SWEEP_AT_MIN, 2 * this.#waiting)
  }

  /** Each tenant, namespace and queue that has to be passed over is not looked at again before something has changed for it. */
  #nextQueue(): Queue | null {
    const { ready } = this.#queues
    const mayHold = TENANT_FACTOR * (this.#limits.total - this.#inFlight)
    for (let tenant = ready.first(); tenant !== undefined; tenant = ready.first()) {
      // Those that follow hold as many at least.
      if (tenant.held >= mayHold) return null
      const couldTake = (mayHold - tenant.held) / (1 + TENANT_FACTOR)
      const queue = this.#nextQueueOf(tenant, Math.min(this.#limits.perNamespace, NAMESPACE_FACTOR * couldTake))
      if (queue !== null) return queue
      if (ready.delete(tenant)) this.#resting.add(tenant)
    }
    return null
  }

  /** Null when the tenant has nothing ready any more, or its namespaces hold what they may. */
  #nextQueueOf(tenant: TenantQueues, namespaceMayHold: number): Queue | null {
    do {
      for (let namespace = tenant.ready.first(); namespace !== undefined; namespace = tenant.ready.first()) {
        if (namespace.held >= namespaceMayHold) break
        for (const queue of namespace.ready) {
          const { target } = queue
          const hasSlot = target.held < target.slots
          if (hasSlot && isOpen(queue)) return queue
          ;(hasSlot ? this.#closed : target.blocked).add(queue)
          this.#queues.makeUnready(queue)
        }
      }
    } while (this.#queues.unblockStalled(tenant))
    return null
  }

  #rested(): void {
    for (const tenant of this.#resting) if (tenant.ready.size > 0) this.#queues.ready.add(tenant)
    this.#resting.clear()
  }

  #start(queue: Queue): void {
    const { namespace, target } = queue
    const job = takeFirst(queue)
    if (namespace.ready.size > 1) {
      namespace.ready.delete(queue)
      namespace.ready.add(queue)
    }
    this.#count(job, -1)
    this.#inFlight++
    this.#queues.hold(namespace, target, 1)
    if (queue.head === queue.jobs.length) this.#close(queue)
    else if (queue.head >= QUEUE_COMPACT_AT) queue.head = (queue.jobs.splice(0, queue.head), 0)
    // Also where there is always somebody else to start, nobody stays blocked whose target has a free slot.
    this.#queues.unblockStalled(namespace.tenant)
    if (job.start()) {
      this.#started++
      this.#pace.started()
      return
    }
    this.#inFlight--
    this.#queues.hold(namespace, target, -1)
    this.#queues.unblock(target)
    this.#queues.forgetIfUnused(namespace, target)
  }

  #count({ isCatchUp }: Job, change: number): void {
    this.#waiting += change
    if (isCatchUp === true) this.#waitingToCatchUp += change
  }

  #close(queue: Queue): void {
    this.#closed.delete(queue)
    this.#queues.close(queue)
  }
}

const UNPACED: Pace = { mayStart: () => 'yes', whenRoom() {}, started() {}, stored() {}, newTurn() {}, idle() {} }

function isOpen(queue: Queue): boolean {
  return queue.jobs[queue.head]!.isOpen?.() !== false
}
