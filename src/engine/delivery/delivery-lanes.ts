// Where due timers wait for a slot, as a tree: a tenant has namespaces, a namespace has lanes, a lane leads to one target
// (an HTTP host, say). Only what could start if it were given a slot is *ready*, at every level, so that the next one is
// found at once however many others wait behind a target that has no slot left.
//
// How many slots a target has is known for each tenant by itself: a tenant cannot take another one's slots of a host that
// both call, nor make it look dead.

import type { Namespace } from '../../core/timer/timer.ts'
import type { Job } from './dispatcher.ts'
import { FewestFirst } from './fewest-first.ts'

export type Lane = { readonly namespace: NamespaceLanes; readonly target: TargetSlots; jobs: Job[]; head: number }

export type NamespaceLanes = {
  readonly tenant: TenantLanes
  readonly name: Namespace
  held: number
  readonly lanes: Map<string, Lane>
  /** In the order of their turns: whoever has had one goes to the end. */
  readonly ready: Set<Lane>
}

export type TenantLanes = {
  readonly name: string | null
  held: number
  readonly namespaces: Map<Namespace, NamespaceLanes>
  readonly ready: FewestFirst<NamespaceLanes>
  readonly targets: Map<string, TargetSlots>
  /** All targets that have a free slot and blocked lanes, and some that no longer do. */
  readonly stalled: Set<TargetSlots>
}

/** `slots`: how many may be held now; `lanes`: how many lanes lead here, and `blocked`: those that found no slot. */
export type TargetSlots = {
  readonly tenant: TenantLanes
  readonly name: string
  held: number
  slots: number
  lanes: number
  readonly blocked: Set<Lane>
}

const SICK_TARGETS_MAX = 10_000 // remembered while nothing waits for them; beyond that the one that was called longest ago is forgotten

export class DeliveryLanes {
  readonly #slotsMax: number
  readonly #tenants = new Map<string | null, TenantLanes>()
  readonly ready = new FewestFirst<TenantLanes>()
  /** Targets with fewer slots than the others, while nothing waits for them or is under way. */
  readonly #sick = new Set<TargetSlots>()

  /** `slotsMax`: of a target that answers. */
  constructor(slotsMax: number) {
    this.#slotsMax = slotsMax
  }

  get known(): { readonly namespaces: number; readonly targets: number } {
    const tenants = [...this.#tenants.values()]
    const sum = (of: 'namespaces' | 'targets') => tenants.reduce((total, tenant) => total + tenant[of].size, 0)
    return { namespaces: sum('namespaces'), targets: sum('targets') }
  }

  *all(): Iterable<Lane> {
    for (const tenant of this.#tenants.values())
      for (const { lanes } of tenant.namespaces.values()) yield* lanes.values()
  }

  /** The lane of the job, where that is known; one that has waiting jobs or some under way is. */
  find({ tenant, namespace, target }: Job): { namespace: NamespaceLanes; target: TargetSlots; lane: Lane | undefined } {
    const owner = this.#tenants.get(tenant)!
    const lanes = owner.namespaces.get(namespace)!
    return { namespace: lanes, target: owner.targets.get(target)!, lane: lanes.lanes.get(target) }
  }

  laneFor(job: Job): Lane {
    const tenant = this.#tenants.get(job.tenant) ?? this.#addTenant(job.tenant)
    const namespace = tenant.namespaces.get(job.namespace) ?? addNamespace(tenant, job.namespace)
    return namespace.lanes.get(job.target) ?? this.#addLane(namespace, job.target)
  }

  /** It has jobs, and its target may have a slot for them. */
  makeReady(lane: Lane): void {
    const { namespace } = lane
    namespace.ready.add(lane)
    namespace.tenant.ready.add(namespace)
    this.ready.add(namespace.tenant)
  }

  makeUnready(lane: Lane): void {
    const { namespace } = lane
    if (!namespace.ready.delete(lane) || namespace.ready.size > 0) return
    const { tenant } = namespace
    tenant.ready.delete(namespace)
    if (tenant.ready.size === 0 && !this.unblockStalled(tenant)) this.ready.delete(tenant)
  }

  /** A slot is taken, or, with -1, given back. */
  hold(namespace: NamespaceLanes, target: TargetSlots, change: 1 | -1): void {
    const { tenant } = namespace
    const isTenantReady = this.ready.delete(tenant)
    const isNamespaceReady = tenant.ready.delete(namespace)
    tenant.held += change
    namespace.held += change
    target.held += change
    if (isNamespaceReady) tenant.ready.add(namespace)
    if (isTenantReady) this.ready.add(tenant)
  }

  /** As many lanes as the target has slots get ready; those that do not get one come back, to the end. */
  unblock(target: TargetSlots): void {
    let free = target.slots - target.held
    for (const lane of target.blocked) {
      if (free-- <= 0) break
      this.#unblock(lane)
    }
    if (target.blocked.size > 0) target.tenant.stalled.add(target)
  }

  /**
   * One more lane of a target with a free slot gets ready: those that did may not use it, since they have lost their jobs,
   * or are not open, or their namespace holds all it may. False: every blocked lane of the tenant waits for a target without a free slot.
   */
  unblockStalled({ stalled }: TenantLanes): boolean {
    for (const target of stalled) {
      stalled.delete(target)
      const lane = target.held < target.slots ? first(target.blocked) : undefined
      if (lane === undefined) continue
      this.#unblock(lane)
      if (target.blocked.size > 0) stalled.add(target)
      return true
    }
    return false
  }

  #unblock(lane: Lane): void {
    lane.target.blocked.delete(lane)
    this.makeReady(lane)
  }

  /** It has no jobs any more. */
  close(lane: Lane): void {
    this.makeUnready(lane)
    lane.target.blocked.delete(lane)
    lane.namespace.lanes.delete(lane.target.name)
    lane.target.lanes--
  }

  /** A healthy target is as good as an unknown one; a sick one is remembered, up to a bound. */
  forgetIfUnused(namespace: NamespaceLanes, target: TargetSlots): void {
    const { tenant } = namespace
    if (namespace.held === 0 && namespace.lanes.size === 0) tenant.namespaces.delete(namespace.name)
    if (target.held === 0 && target.lanes === 0) {
      if (target.slots === this.#slotsMax) tenant.targets.delete(target.name)
      else this.#remember(target)
    }
    this.#forgetTenantIfUnused(tenant)
  }

  #remember(target: TargetSlots): void {
    this.#sick.add(target)
    if (this.#sick.size <= SICK_TARGETS_MAX) return
    const oldest = first(this.#sick)!
    this.#sick.delete(oldest)
    oldest.tenant.targets.delete(oldest.name)
    this.#forgetTenantIfUnused(oldest.tenant)
  }

  #forgetTenantIfUnused({ name, namespaces, targets }: TenantLanes): void {
    if (namespaces.size === 0 && targets.size === 0) this.#tenants.delete(name)
  }

  #addTenant(name: string | null): TenantLanes {
    const tenant: TenantLanes = {
      name,
      held: 0,
      namespaces: new Map(),
      ready: new FewestFirst(),
      targets: new Map(),
      stalled: new Set(),
    }
    this.#tenants.set(name, tenant)
    return tenant
  }

  #addLane(namespace: NamespaceLanes, name: string): Lane {
    const { tenant } = namespace
    let target = tenant.targets.get(name)
    if (target === undefined)
      tenant.targets.set(
        name,
        (target = { tenant, name, held: 0, slots: this.#slotsMax, lanes: 0, blocked: new Set() }),
      )
    else this.#sick.delete(target)
    const lane: Lane = { namespace, target, jobs: [], head: 0 }
    target.lanes++
    namespace.lanes.set(name, lane)
    return lane
  }
}

function first<Value>(set: ReadonlySet<Value>): Value | undefined {
  return set.values().next().value
}

function addNamespace(tenant: TenantLanes, name: Namespace): NamespaceLanes {
  const namespace: NamespaceLanes = { tenant, name, held: 0, lanes: new Map(), ready: new Set() }
  tenant.namespaces.set(name, namespace)
  return namespace
}
