// Where due timers wait for a slot, as a tree: a tenant has namespaces, a namespace has queues, a queue leads to one target
// (an HTTP host, say). Only what could start if it were given a slot is *ready*, at every level, so that the next one is
// found at once however many others wait behind a target that has no slot left.
//
// How many slots a target has is known for each tenant by itself: a tenant cannot take another one's slots of a host that
// both call, nor make it look dead.

import { FewestFirst } from '../../core/fewest-first.ts'
import type { Namespace } from '../../core/timer/timer.ts'
import type { Job } from './dispatcher.ts'

/** `name`: of its place in the namespace; missed iterations have a queue beside that of their target. */
export type Queue = {
  readonly name: string
  readonly namespace: NamespaceQueues
  readonly target: TargetSlots
  jobs: Job[]
  head: number
}

export type NamespaceQueues = {
  readonly tenant: TenantQueues
  readonly name: Namespace
  held: number
  readonly queues: Map<string, Queue>
  /** In the order of their turns: whoever has had one goes to the end. */
  readonly ready: Set<Queue>
}

export type TenantQueues = {
  readonly name: string | null
  held: number
  readonly namespaces: Map<Namespace, NamespaceQueues>
  readonly ready: FewestFirst<NamespaceQueues>
  readonly targets: Map<string, TargetSlots>
  /** All targets that have a free slot and blocked queues, and some that no longer do. */
  readonly stalled: Set<TargetSlots>
}

/** `slots`: how many may be held now; `queues`: how many queues lead here, and `blocked`: those that found no slot. */
export type TargetSlots = {
  readonly tenant: TenantQueues
  readonly name: string
  held: number
  slots: number
  queues: number
  readonly blocked: Set<Queue>
}

const SICK_TARGETS_MAX = 10_000 // remembered while nothing waits for them; beyond that the one that was called longest ago is forgotten

export class DeliveryQueues {
  readonly #slotsMax: number
  readonly #tenants = new Map<string | null, TenantQueues>()
  readonly ready = new FewestFirst<TenantQueues>()
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

  *all(): Iterable<Queue> {
    for (const tenant of this.#tenants.values())
      for (const { queues } of tenant.namespaces.values()) yield* queues.values()
  }

  /** The queue that a job of the namespace would be added to, if there is one. */
  find(namespace: NamespaceQueues, job: Job): Queue | undefined {
    return namespace.queues.get(queueName(job))
  }

  queueFor(job: Job): Queue {
    const tenant = this.#tenants.get(job.tenant) ?? this.#addTenant(job.tenant)
    const namespace = tenant.namespaces.get(job.namespace) ?? addNamespace(tenant, job.namespace)
    return namespace.queues.get(queueName(job)) ?? this.#addQueue(namespace, job)
  }

  /** It has jobs, and its target may have a slot for them. */
  makeReady(queue: Queue): void {
    const { namespace } = queue
    namespace.ready.add(queue)
    namespace.tenant.ready.add(namespace)
    this.ready.add(namespace.tenant)
  }

  makeUnready(queue: Queue): void {
    const { namespace } = queue
    if (!namespace.ready.delete(queue) || namespace.ready.size > 0) return
    const { tenant } = namespace
    tenant.ready.delete(namespace)
    if (tenant.ready.size === 0 && !this.unblockStalled(tenant)) this.ready.delete(tenant)
  }

  /** A slot is taken, or, with -1, given back. */
  hold(namespace: NamespaceQueues, target: TargetSlots, change: 1 | -1): void {
    const { tenant } = namespace
    const isTenantReady = this.ready.delete(tenant)
    const isNamespaceReady = tenant.ready.delete(namespace)
    tenant.held += change
    namespace.held += change
    target.held += change
    if (isNamespaceReady) tenant.ready.add(namespace)
    if (isTenantReady) this.ready.add(tenant)
  }

  /** As many queues as the target has slots get ready; those that do not get one come back, to the end. */
  unblock(target: TargetSlots): void {
    if (target.blocked.size === 0) return
    let free = target.slots - target.held
    for (const queue of target.blocked) {
      if (free-- <= 0) break
      this.#unblock(queue)
    }
    if (target.blocked.size > 0) target.tenant.stalled.add(target)
  }

  /**
   * One more queue of a target with a free slot gets ready: those that did may not use it, since they have lost their jobs,
   * or are not open, or their namespace holds all it may. False: every blocked queue of the tenant waits for a target without a free slot.
   */
  unblockStalled({ stalled }: TenantQueues): boolean {
    if (stalled.size === 0) return false
    for (const target of stalled) {
      stalled.delete(target)
      const queue = target.held < target.slots ? first(target.blocked) : undefined
      if (queue === undefined) continue
      this.#unblock(queue)
      if (target.blocked.size > 0) stalled.add(target)
      return true
    }
    return false
  }

  #unblock(queue: Queue): void {
    queue.target.blocked.delete(queue)
    this.makeReady(queue)
  }

  /** It has no jobs any more. */
  close(queue: Queue): void {
    this.makeUnready(queue)
    queue.target.blocked.delete(queue)
    queue.namespace.queues.delete(queue.name)
    queue.target.queues--
  }

  /** A healthy target is as good as an unknown one; a sick one is remembered, up to a bound. */
  forgetIfUnused(namespace: NamespaceQueues, target: TargetSlots): void {
    const { tenant } = namespace
    if (namespace.held === 0 && namespace.queues.size === 0) tenant.namespaces.delete(namespace.name)
    if (target.held === 0 && target.queues === 0) {
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

  #forgetTenantIfUnused({ name, namespaces, targets }: TenantQueues): void {
    if (namespaces.size === 0 && targets.size === 0) this.#tenants.delete(name)
  }

  #addTenant(name: string | null): TenantQueues {
    const tenant: TenantQueues = {
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

  #addQueue(namespace: NamespaceQueues, job: Job): Queue {
    const { tenant } = namespace
    const { target: name } = job
    let target = tenant.targets.get(name)
    if (target === undefined)
      tenant.targets.set(
        name,
        (target = { tenant, name, held: 0, slots: this.#slotsMax, queues: 0, blocked: new Set() }),
      )
    else this.#sick.delete(target)
    const queue: Queue = { name: queueName(job), namespace, target, jobs: [], head: 0 }
    target.queues++
    namespace.queues.set(queue.name, queue)
    return queue
  }
}

/** In the place of a job that was taken: those behind it, and those under way, which know their queue, would keep its payload in memory. */
const TAKEN: Job = { tenant: null, namespace: '' as Namespace, target: '', start: () => false, isGone: () => true }

export function takeFirst(queue: Queue): Job {
  const job = queue.jobs[queue.head]!
  queue.jobs[queue.head++] = TAKEN
  return job
}

/** No target has a line break in its name. */
function queueName({ target, isCatchUp }: Job): string {
  return isCatchUp === true ? `${target}\n` : target
}

function first<Value>(set: ReadonlySet<Value>): Value | undefined {
  return set.values().next().value
}

function addNamespace(tenant: TenantQueues, name: Namespace): NamespaceQueues {
  const namespace: NamespaceQueues = { tenant, name, held: 0, queues: new Map(), ready: new Set() }
  tenant.namespaces.set(name, namespace)
  return namespace
}
