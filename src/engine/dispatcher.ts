// Decides which due timer is delivered next. Due timers wait in lanes, one per namespace and target (an HTTP
// host, say); namespaces take turns, and so do the lanes within one. Deliveries in flight are bounded overall,
// per namespace and per target, and a target that keeps failing to answer is given fewer slots, down to one:
// neither a flood in one namespace nor a dead host makes the others late.

import type { Namespace } from '../core/timer.ts'

export interface Job {
  readonly namespace: Namespace
  readonly target: string
  /** Called when its turn has come. False: it is not wanted any more and takes no slot. */
  start(): boolean
  /** Known before its turn: it will not be wanted, ever. */
  isGone(): boolean
  /** False while nothing of its lane can start; absent, it always can. Whoever changes that calls `run`. */
  isOpen?(): boolean
}

/** `unreachable`: no answer at all (refused, reset, timed out). Only that says something about the target's health. */
export type Ended = 'answered' | 'unreachable'

export type DispatcherLimits = { readonly total: number; readonly perNamespace: number; readonly perTarget: number }

type Lane = { readonly target: TargetSlots; jobs: Job[]; head: number }
type NamespaceLanes = { readonly name: Namespace; inFlight: number; readonly lanes: Map<string, Lane> }
/** `slots`: how many may be in flight now; `lanes`: how many lanes lead here. */
type TargetSlots = { readonly name: string; inFlight: number; slots: number; lanes: number }

const LANE_COMPACT_AT = 1_024 // started jobs are cut off a long lane in bunches, so that taking the first stays cheap
const SWEEP_AT_MIN = 1_024 // fewer are not worth looking for those that are gone
const SICK_TARGETS_MAX = 10_000 // beyond that a sick target without waiting jobs is forgotten

export class Dispatcher {
  readonly #limits: DispatcherLimits
  /** Outcomes that may wait for the store: more than one commit takes, so that the next one has gathered when it is done. */
  readonly #landingMax: number
  /** In the order of their turns: whoever has had one goes to the end. */
  readonly #namespaces = new Map<Namespace, NamespaceLanes>()
  readonly #targets = new Map<string, TargetSlots>()
  #inFlight = 0
  #landing = 0
  #started = 0
  #waiting = 0
  #sweepAt = SWEEP_AT_MIN
  #running = false

  constructor(limits: DispatcherLimits) {
    this.#limits = limits
    this.#landingMax = 2 * limits.total
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

  /** Something waits that could start if it had a slot. A lane that is closed may stay so for ever. */
  get isBehind(): boolean {
    if (this.#waiting === 0) return false
    return this.#namespaces.values().some(({ lanes }) => lanes.values().some(isOpen))
  }

  /** What is remembered beside the jobs: those with jobs waiting or in flight, and a bounded number of sick targets. */
  get known(): { readonly namespaces: number; readonly targets: number } {
    return { namespaces: this.#namespaces.size, targets: this.#targets.size }
  }

  add(job: Job): void {
    if (this.#waiting >= this.#sweepAt) this.sweep()
    const namespace = this.#namespaceOf(job.namespace)
    let lane = namespace.lanes.get(job.target)
    if (lane === undefined) lane = this.#openLane(namespace, job.target)
    lane.jobs.push(job)
    this.#waiting++
  }

  /** The delivery that `start` began is over. Until `landed`, what came of it waits for the store. */
  ended(job: Job, how: Ended): void {
    this.#inFlight--
    this.#landing++
    const namespace = this.#namespaces.get(job.namespace)!
    const target = this.#targets.get(job.target)!
    namespace.inFlight--
    target.inFlight--
    target.slots = how === 'answered' ? Math.min(target.slots + 1, this.#limits.perTarget) : Math.max(target.slots >> 1, 1)
    this.#forgetIfUnused(namespace, target)
    this.run()
  }

  /** What came of a delivery is durable, or is somebody else's business now. */
  landed(): void {
    this.#landing--
    this.run()
  }

  /** Starts as many as the limits allow. A store that does not answer stops them, so that outcomes do not pile up. */
  run(): void {
    // A job may end, and so call back, while it is being started: the loop below sees the slot that it freed.
    if (this.#running) return
    this.#running = true
    try {
      while (this.#inFlight < this.#limits.total && this.#landing < this.#landingMax && this.#waiting > 0 && this.#startOne()) {}
    } finally {
      this.#running = false
    }
  }

  /**
   * A timer that is updated, or evicted from memory and loaded again, waits with a new job, and the old one is gone. Behind
   * a dead host their turn may not come for long; so whenever the jobs have doubled, those that are gone are dropped, and
   * when a shard has left, whose whole window they would keep in memory.
   */
  sweep(): void {
    for (const namespace of this.#namespaces.values()) {
      for (const lane of namespace.lanes.values()) {
        const wanted = lane.jobs.filter((job, index) => index >= lane.head && !job.isGone())
        this.#waiting -= lane.jobs.length - lane.head - wanted.length
        lane.jobs = wanted
        lane.head = 0
        if (wanted.length === 0) closeLane(namespace, lane)
        this.#forgetIfUnused(namespace, lane.target)
      }
    }
    this.#sweepAt = Math.max(SWEEP_AT_MIN, 2 * this.#waiting)
  }

  #startOne(): boolean {
    for (const namespace of this.#namespaces.values()) {
      if (namespace.inFlight >= this.#limits.perNamespace) continue
      const lane = firstFreeLane(namespace)
      if (lane === undefined) continue
      this.#takeTurns(namespace, lane)
      this.#start(namespace, lane)
      return true
    }
    return false
  }

  #start(namespace: NamespaceLanes, lane: Lane): void {
    const job = lane.jobs[lane.head++]!
    if (lane.head === lane.jobs.length) closeLane(namespace, lane)
    else if (lane.head >= LANE_COMPACT_AT) lane.head = (lane.jobs.splice(0, lane.head), 0)
    this.#waiting--
    this.#inFlight++
    namespace.inFlight++
    lane.target.inFlight++
    if (job.start()) {
      this.#started++
      return
    }
    this.#inFlight--
    namespace.inFlight--
    lane.target.inFlight--
    this.#forgetIfUnused(namespace, lane.target)
  }

  #takeTurns(namespace: NamespaceLanes, lane: Lane): void {
    if (this.#namespaces.size > 1) {
      this.#namespaces.delete(namespace.name)
      this.#namespaces.set(namespace.name, namespace)
    }
    if (namespace.lanes.size > 1) {
      namespace.lanes.delete(lane.target.name)
      namespace.lanes.set(lane.target.name, lane)
    }
  }

  #namespaceOf(name: Namespace): NamespaceLanes {
    let namespace = this.#namespaces.get(name)
    if (namespace === undefined) this.#namespaces.set(name, (namespace = { name, inFlight: 0, lanes: new Map() }))
    return namespace
  }

  #openLane(namespace: NamespaceLanes, name: string): Lane {
    let target = this.#targets.get(name)
    if (target === undefined) this.#targets.set(name, (target = { name, inFlight: 0, slots: this.#limits.perTarget, lanes: 0 }))
    const lane: Lane = { target, jobs: [], head: 0 }
    target.lanes++
    namespace.lanes.set(name, lane)
    return lane
  }

  /** A healthy target is as good as an unknown one; a sick one is remembered, up to a bound. */
  #forgetIfUnused(namespace: NamespaceLanes, target: TargetSlots): void {
    if (namespace.inFlight === 0 && namespace.lanes.size === 0) this.#namespaces.delete(namespace.name)
    const healthy = target.slots === this.#limits.perTarget || this.#targets.size > SICK_TARGETS_MAX
    if (target.inFlight === 0 && target.lanes === 0 && healthy) this.#targets.delete(target.name)
  }
}

function closeLane(namespace: NamespaceLanes, lane: Lane): void {
  namespace.lanes.delete(lane.target.name)
  lane.target.lanes--
}

function firstFreeLane(namespace: NamespaceLanes): Lane | undefined {
  for (const lane of namespace.lanes.values()) {
    if (lane.target.inFlight < lane.target.slots && isOpen(lane)) return lane
  }
  return undefined
}

function isOpen(lane: Lane): boolean {
  return lane.jobs[lane.head]!.isOpen?.() !== false
}
