// How each trouble of a plan is made. What is done for a while is undone by an event of its own.

import { resized } from '../../src/core/cluster/layout.ts'
import { announced } from '../../src/core/cluster/split.ts'
import type { Epoch } from '../../src/core/timer/timer.ts'
import { changeLayout, readLayout } from '../../src/store/layout/layout-row.ts'
import type { ShardClaim, ShardRow } from '../../src/store/store.ts'
import type { PlannedTrouble } from '../plan/troubles.ts'
import { GRACE_MS } from './node.ts'
import type { Machine } from './machine.ts'
import type { World } from './world.ts'

const LEFT_WITHIN_MS = GRACE_MS + 16_000 // a process that has not stopped by then is killed

export function beginTrouble(world: World, trouble: PlannedTrouble): void {
  switch (trouble.kind) {
    case 'crash':
      return crash(world, machineOf(world, trouble.node), trouble.downMs)
    case 'crashAtEffect':
      return crashAtEffect(world, machineOf(world, trouble.node), trouble)
    case 'freeze':
    case 'suspend':
      return stop(world, machineOf(world, trouble.node), trouble)
    case 'leave':
      return leave(world, machineOf(world, trouble.node), trouble.downMs)
    case 'join':
      return join(world, machineOf(world, trouble.node))
    case 'clockStep':
      return step(world, machineOf(world, trouble.node), trouble.byMs)
    case 'stall':
    case 'cutDatabase':
      return withoutDatabase(world, trouble)
    case 'failOver':
      return failOver(world, trouble)
    case 'cutLinks':
      return cutLink(world, trouble)
    case 'reshard':
      return void reshard(world, trouble.times)
  }
}

function machineOf(world: World, index: number): Machine {
  return world.machines[index]!
}

function crash(world: World, machine: Machine, downMs: number): void {
  const { node } = machine
  if (node === null || !node.incarnation.isAlive) return
  world.note('crash', {
    until: world.scheduler.now,
    node: node.incarnation.name,
    about: `${node.incarnation.name} dies`,
  })
  world.kill(machine, downMs)
}

function crashAtEffect(world: World, machine: Machine, { effects, downMs }: { effects: number; downMs: number }): void {
  const { node } = machine
  if (node === null || !node.incarnation.isAlive) return
  const { incarnation } = node
  incarnation.onDeath(() => {
    if (machine.node !== node || machine.isDown) return
    const about = `${incarnation.name} dies in the middle of what it does`
    world.note('crashAtEffect', { until: world.scheduler.now, node: incarnation.name, about })
    world.startLater(machine, downMs)
  })
  incarnation.dieAfterEffects(effects)
}

function stop(world: World, machine: Machine, { kind, forMs }: { kind: 'freeze' | 'suspend'; forMs: number }): void {
  const { node } = machine
  if (node === null || !node.incarnation.isAlive || node.incarnation.isStopped) return
  const { incarnation } = node
  const until = world.endOf(forMs)
  world.note(kind, { until, node: incarnation.name, about: `${incarnation.name} does not run` })
  incarnation.stop()
  if (kind === 'suspend') machine.clock.suspend()
  world.scheduler.at(until, () => {
    if (kind === 'suspend') machine.clock.resume()
    incarnation.goOn()
  })
}

function leave(world: World, machine: Machine, downMs: number): void {
  const { node } = machine
  if (node === null || !node.isOpen) return
  const { incarnation } = node
  const until = world.scheduler.now + LEFT_WITHIN_MS
  world.note('leave', { until, node: incarnation.name, about: `${incarnation.name} leaves, and is gone` })
  const end = (): void => {
    if (machine.node !== node || !incarnation.isAlive) return
    world.note('leave', { until: world.scheduler.now, node: incarnation.name, about: `${incarnation.name} has left` })
    world.kill(machine, downMs)
  }
  world.scheduler.at(until, end)
  node.leave().then(end, end)
}

function join(world: World, machine: Machine): void {
  world.note('join', { until: world.scheduler.now, node: null, about: `${machine.address} joins` })
  world.start(machine)
}

function step(world: World, machine: Machine, byMs: number): void {
  const about = `the clock of ${machine.address} is set by ${Math.round(byMs)} ms`
  world.note('clockStep', { until: world.scheduler.now, node: machine.address, about })
  machine.clock.step(byMs)
}

function withoutDatabase(
  world: World,
  { kind, node, forMs }: Extract<PlannedTrouble, { kind: 'stall' | 'cutDatabase' }>,
): void {
  const machine = node === null ? null : machineOf(world, node)
  const until = world.endOf(forMs)
  const who = machine === null ? 'all nodes' : machine.address
  const about = kind === 'stall' ? `the database does not answer ${who}` : `${who} cannot reach the database`
  world.note(kind, { until, node: machine?.address ?? null, about })
  if (kind === 'stall') world.stallDatabase(machine, until)
  else world.cutDatabase(machine, until)
}

function failOver(world: World, { forMs, forgetsMs }: { forMs: number; forgetsMs: number }): void {
  const until = world.endOf(forMs)
  const about = `the database fails over and forgets the last ${Math.round(forgetsMs)} ms of ownership`
  world.note('failOver', { until, node: null, about })
  world.cutDatabase(null, until)
  void world.database.forgetOwnership(forgetsMs)
}

/** As the command line tells the nodes. */
async function reshard({ database }: World, times: number): Promise<void> {
  const store = {
    capabilities: database.capabilities,
    shards: () => database.apply('shards', undefined) as Promise<readonly ShardRow[]>,
    claim: (claim: ShardClaim) => database.apply('claim', claim) as Promise<Epoch | null>,
  }
  const layout = await readLayout(store)
  await changeLayout(store, layout, { ...layout, next: announced(resized(layout, null, layout.shared.count * times)) })
}

function cutLink(world: World, { from, to, forMs }: { from: number; to: number; forMs: number }): void {
  const [one, other] = [machineOf(world, from), machineOf(world, to)]
  if (one === other) return
  const until = world.endOf(forMs)
  world.note('cutLinks', { until, node: one.address, about: `nothing gets from ${one.address} to ${other.address}` })
  world.network.cut(one.address, other.address, until)
}
