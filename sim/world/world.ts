// A whole simulation: machines with nodes on them, the database, the network, receivers and clients, and the troubles of
// the plan. It ends some time after the last trouble, when nothing finite is left to do or the time for that is over.

import { inspect } from 'node:util'
import type { Logger } from '../../src/runtime/telemetry/logger.ts'
import { clusterLook } from '../../src/store/layout/layout-row.ts'
import type { ListPage, Store } from '../../src/store/store.ts'
import type { Timer } from '../../src/core/timer/timer.ts'
import { placesOf } from '../../src/core/cluster/split.ts'
import { shardOf } from '../../src/core/timer/ids.ts'
import { isFinished } from '../../src/core/timer/timer.ts'
import { SeededRandom } from '../../test/support/seeded-random.ts'
import type { Coverage } from '../coverage.ts'
import { FaultCounts, TARGET_FAULTS } from '../faults.ts'
import type { FaultKind, Faults } from '../faults.ts'
import type { FaultRecord, History, MemoryPeak, PublishedEvent } from '../history.ts'
import { ALL_NAMESPACES, NAMESPACES } from '../plan/namespaces.ts'
import type { Plan, PlannedTimer } from '../plan/plan.ts'
import { SimulatedBroker } from './broker.ts'
import { identityOf, nameOf } from './client-requests.ts'
import { Clients } from './clients.ts'
import { Connection } from './connection.ts'
import { Database, SHARDS_TIMES_MAX } from './database.ts'
import { finalState, unopenedIn } from './final-state.ts'
import { Incarnation } from './incarnation.ts'
import { LEASE_MS, retentionOf, SimulatedNode } from './node.ts'
import { Machine } from './machine.ts'
import { MachineClock, NodeClock } from './node-clock.ts'
import { Network } from './network.ts'
import { Receivers } from './receivers.ts'
import { Scheduler } from './scheduler.ts'
import { beginTrouble } from './troubles.ts'

/** After the last trouble, everything that is due has been delivered within this time. */
const RECOVERED_WITHIN_MS = 45_000
/** The same where a receiver gets so few calls at a time that those which take seconds to fail stand in each other's way. */
const RECOVERED_ONE_BY_ONE_WITHIN_MS = 90_000
const FEW_SLOTS = 4
/** How long a simulation goes on at least when all is over. */
const QUIET_MS = 6_000
const LOOK_EVERY_MS = 500
const RESTARTED_AFTER_MS = 1_000
const SKEWED_MS = 20

export class World {
  readonly plan: Plan
  readonly scheduler: Scheduler
  readonly counts = new FaultCounts()
  readonly machines: readonly Machine[]
  readonly network: Network
  readonly faultRecords: FaultRecord[] = []
  readonly #database: Database
  readonly #receivers: Receivers
  readonly #clients: Clients
  readonly #events: PublishedEvent[] = []
  readonly #excesses: MemoryPeak[] = []
  readonly #fatal: string[] = []
  readonly #coverage: Coverage
  readonly #stalls = new Map<string, number>()
  readonly #cuts = new Map<string, number>()
  readonly #active: Faults
  #isHealed = false

  private constructor(plan: Plan, database: Database, scheduler: Scheduler, coverage: Coverage) {
    this.plan = plan
    this.scheduler = scheduler
    this.#receivers = new Receivers(scheduler)
    this.#database = database
    this.#coverage = coverage
    this.#active = new Set(plan.faults)
    const faults = () => this.faults
    const { counts } = this
    this.network = new Network({
      scheduler,
      random: this.#random('network'),
      faults,
      counts,
      onTrouble: (kind, from, until, about) => this.#noteSmall(kind, from, until, about),
    })
    this.machines = plan.settings.machines.map(
      (machine, index) => new Machine(`n${index + 1}`, new MachineClock(scheduler, machine)),
    )
    this.#clients = new Clients({
      seed: plan.seed,
      scheduler,
      machines: this.machines.length,
      nodeAt: (machine) => this.machines[machine]!.node,
      faults,
      counts,
      onFatal: (what) => this.#fatal.push(what),
    })
  }

  /** `real`: a store of its own to keep the timers in. */
  static async create(plan: Plan, coverage: Coverage, real: Store | null = null): Promise<World> {
    const scheduler = new Scheduler()
    const { shards, shared } = plan.settings
    const partitioned = !plan.faults.includes('failOver')
    return new World(plan, await Database.open(scheduler, { shards, shared, partitioned }, real), scheduler, coverage)
  }

  async run(): Promise<History> {
    const { plan, scheduler } = this
    const { activeMs } = plan.settings
    const onRejection = (error: unknown): void => void this.#fatal.push(`unhandled rejection: ${inspect(error)}`)
    process.on('unhandledRejection', onRejection)
    try {
      for (const machine of this.machines.slice(0, plan.settings.startedMachines)) this.start(machine)
      for (const trouble of plan.troubles) scheduler.at(trouble.at, () => beginTrouble(this, trouble))
      for (const request of plan.requests) scheduler.at(request.at, () => this.#clients.send(request))
      this.#lookEvery(LOOK_EVERY_MS)
      await scheduler.runUntil(activeMs)
      this.#heal()
      const healedAt = scheduler.now
      let isDone = false
      const look = (): void => {
        void this.#isOver().then((isOver) => (isDone = isOver && scheduler.now >= healedAt + QUIET_MS))
        scheduler.after(LOOK_EVERY_MS, look)
      }
      look()
      const hasFewSlots = this.plan.settings.deliveries.perTarget <= FEW_SLOTS
      const withinMs = hasFewSlots ? RECOVERED_ONE_BY_ONE_WITHIN_MS : RECOVERED_WITHIN_MS
      await scheduler.runUntil(healedAt + withinMs, () => isDone)
      return await this.#history(healedAt)
    } finally {
      for (const { node } of this.machines) node?.incarnation.die()
      process.off('unhandledRejection', onRejection)
    }
  }

  /** Those that can happen now. */
  get faults(): Faults {
    return this.#isHealed ? NO_FAULTS : this.#active
  }

  get database(): Database {
    return this.#database
  }

  start(machine: Machine): void {
    if (machine.node?.incarnation.isAlive === true) return
    machine.isDown = false
    // A process that was suspended may have been killed; the machine is awake when another one is started.
    machine.clock.resume()
    const { scheduler, plan, counts, network } = this
    const faults = () => this.faults
    const incarnation = new Incarnation(`${machine.address}#${++machine.starts}`, machine.address, scheduler)
    const random = this.#random(incarnation.name)
    const clock = new NodeClock(machine.clock, incarnation, scheduler, random.fork())
    const common = { incarnation, scheduler, faults, counts }
    const troubles = {
      stalledUntil: (address: string) => this.#stalls.get(address) ?? 0,
      isCut: (address: string) => (this.#cuts.get(address) ?? 0) > scheduler.now,
    }
    const connection = new Connection({
      ...common,
      database: this.#database,
      random: random.fork(),
      troubles,
      onUnansweredClaim: (kind, node, forMs) =>
        this.#noteSmall(kind, node, scheduler.now + forMs, `the answer to a claim of ${node} is lost or late`),
    })
    const node = new SimulatedNode({
      settings: plan.settings,
      incarnation,
      store: connection.asStore(),
      clock,
      logger: loggerFor(this.#coverage),
      target: this.#receivers.target(incarnation, clock, random.fork()),
      network,
      broker: plan.settings.withEvents
        ? new SimulatedBroker({ ...common, random: random.fork(), stream: this.#events })
        : null,
    })
    machine.connection = connection
    machine.node = node
    // A supervisor starts it again when it cannot start.
    node.start().catch(() => this.kill(machine, RESTARTED_AFTER_MS))
  }

  kill(machine: Machine, downMs: number): void {
    this.startLater(machine, downMs)
    if (machine.node !== null) this.network.close(machine.node.incarnation)
    machine.node?.incarnation.die()
  }

  startLater(machine: Machine, downMs: number): void {
    machine.isDown = true
    const until = Math.min(this.scheduler.now + downMs, Math.max(this.plan.settings.activeMs, this.scheduler.now + 1))
    this.scheduler.at(until, () => this.start(machine))
  }

  /** Null: all machines. */
  stallDatabase(machine: Machine | null, until: number): void {
    for (const { address } of machine === null ? this.machines : [machine]) this.#stalls.set(address, until)
  }

  cutDatabase(machine: Machine | null, until: number): void {
    for (const one of machine === null ? this.machines : [machine]) {
      this.#cuts.set(one.address, until)
      one.connection?.break()
    }
  }

  note(kind: FaultKind, { until, node, about }: { until: number; node: string | null; about: string }): void {
    this.counts.count(kind)
    this.faultRecords.push({ kind, at: this.scheduler.now, until, node, about })
  }

  #noteSmall(kind: FaultKind, node: string, until: number, about: string): void {
    this.faultRecords.push({ kind, at: this.scheduler.now, until, node, about, isSmall: true })
  }

  /** Troubles end with the active time. */
  endOf(durationMs: number): number {
    return Math.min(this.scheduler.now + durationMs, this.plan.settings.activeMs)
  }

  #heal(): void {
    this.#isHealed = true
    for (const machine of this.machines) {
      machine.clock.setRight()
      machine.node?.incarnation.dieAfterEffects(Infinity)
      if (machine.node !== null) this.start(machine)
    }
  }

  /** Nothing that ends is left to do, and nobody waits for an answer. */
  async #isOver(): Promise<boolean> {
    if (!this.#clients.areDone || unopenedIn(this).length > 0) return false
    const now = Math.min(...this.machines.map(({ clock }) => clock.now()))
    const page = (await this.#database.apply('list', { filter: {}, after: null, limit: 1_000 })) as ListPage
    const shards = Array.from({ length: this.plan.settings.shards * SHARDS_TIMES_MAX }, (_, shard) => shard)
    const { count } = (await this.#database.apply('countEvents', shards)) as { readonly count: number }
    return count === 0 && page.timers.every((timer) => isFinished(timer) || isAtRest(timer, now))
  }

  #lookEvery(everyMs: number): void {
    for (const { node } of this.machines)
      if (node?.isOpen === true) this.#excesses.push(...excessesOf(node, this.plan, this.scheduler.now))
    this.scheduler.after(everyMs, () => this.#lookEvery(everyMs))
  }

  /** By the first layout, and by the one in the end. */
  #shardsOf(timer: PlannedTimer): readonly number[] {
    const identity = identityOf(timer)
    const { shards } = this.plan.settings
    const { layout } = clusterLook({ nodes: [], shards: this.#database.shardRows }, shards)
    return [...new Set([shardOf(identity.uuid, shards), ...placesOf(layout, identity)])]
  }

  async #history(healedAt: number): Promise<History> {
    const { plan } = this
    const { settings } = plan
    const names = [...new Set(plan.requests.map(({ timer }) => nameOf(timer)))]
    const timers = new Map(plan.requests.map(({ timer }) => [nameOf(timer), timer]))
    const final = await finalState(
      this,
      names.map((name) => timers.get(name)!),
    )
    return {
      seed: plan.seed,
      operations: this.#clients.operations,
      arrivals: this.#receivers.arrivals,
      faults: this.faultRecords,
      events: this.#events,
      owners: this.#database.ownerChanges,
      shardsOf: new Map(Array.from(timers, ([name, timer]) => [name, this.#shardsOf(timer)])),
      excesses: this.#excesses,
      fatal: this.#fatal,
      healedAt,
      final,
      settings: {
        leaseMs: LEASE_MS,
        retentionMs: Object.fromEntries(ALL_NAMESPACES.map((name) => [name, retentionOf(name, settings)])),
        withEvents: settings.withEvents,
        isSkewed: settings.machines.some(({ skewMs }) => Math.abs(skewMs) > SKEWED_MS),
        isCalm: plan.faults.length === 0,
        isOnlyTargets: plan.faults.every((kind) => TARGET_FAULTS.includes(kind)),
        // The namespaces of the flood are of one tenant.
        hasRoomForAll: settings.window.timersMax / splitTimes(plan) > NAMESPACES.length + 1,
      },
    }
  }

  #random(name: string): SeededRandom {
    let hash = this.plan.seed | 0
    for (const char of name) hash = Math.imul(hash ^ char.codePointAt(0)!, 0x9e37_79b1)
    return new SeededRandom(hash)
  }
}

const NO_FAULTS: Faults = new Set()

/** A cycle without an end that is not behind, or a timer that waits for somebody to resume it. */
function isAtRest({ schedule, wakeAt, status }: Timer, now: number): boolean {
  return status === 'paused' || (schedule?.startsWith('R/') === true && wakeAt > now - 1_000)
}

function excessesOf(node: SimulatedNode, plan: Plan, at: number): MemoryPeak[] {
  const { settings } = plan
  const { windowTimers, commitQueueLength, inFlight } = node.engine.gauges()
  const { window, deliveries, commitQueue, shards, machines } = settings
  const shardsMax = shards * splitTimes(plan)
  const inFlightMax = 3 * deliveries.total // under way, and waiting for the store
  const reportedMax = (machines.length - 1) * deliveries.total // outcomes of deliveries that other nodes have made
  const values = [
    // Each shard may hold two; and what a node holds shrinks only slowly when it gets more shards.
    {
      what: 'timers in memory',
      value: windowTimers,
      limit: 2 * Math.max(window.timersMax, 2 * shardsMax) + inFlightMax,
    },
    { what: 'writes in the queue', value: commitQueueLength, limit: commitQueue.lengthMax + inFlightMax + reportedMax },
    { what: 'deliveries', value: inFlight, limit: deliveries.total },
  ]
  const { name } = node.incarnation
  return values.filter(({ value, limit }) => value > limit).map((peak) => ({ node: name, at, ...peak }))
}

/** Into how many shards, which share what a node may hold in memory, each is split. */
function splitTimes({ troubles }: Plan): number {
  return troubles.find((trouble) => trouble.kind === 'reshard')?.times ?? 1
}

function loggerFor(coverage: Coverage): Logger {
  const log = (fields: unknown, text?: string): void => coverage.logged(text ?? String(fields))
  const logger = { trace() {}, debug: log, info: log, warn: log, error: log, fatal: log, child: () => logger }
  return logger as unknown as Logger
}
