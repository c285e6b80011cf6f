// The service as an entry thread has it: rights, namespaces and targets are judged here, and what is left, a command or
// one timer to read, goes to the thread that decides.

import type { Command, CreateCommand, ShardCommand } from '../../core/rules/command.ts'
import type { TimerUuid } from '../../core/timer/timer.ts'
import type { Broker } from '../../broker/broker.ts'
import { targetRefusal } from '../../engine/delivery/target-finder.ts'
import type { Executed } from '../../engine/shard-commands.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import type { Config } from '../../runtime/config/config.ts'
import { TimerService } from '../../service/timer-service.ts'
import type { TimerServiceOptions } from '../../service/timer-service.ts'
import { buildHttpTarget } from '../../targets/http/from-config.ts'
import { NoneTarget } from '../../targets/none/none-target.ts'
import type { TargetAdapter } from '../../targets/target.ts'
import type { Caller } from '../channel/calls.ts'
import type { DecidingCalls } from './messages.ts'

export type RemoteServiceParts = {
  readonly config: Config
  readonly clock: Clock
  readonly isInCluster: boolean
  readonly deciding: Caller<DecidingCalls>
}

const NEW_IDS_MAX = 10_000 // of commands that were refused before they were sent; a forgotten one is executed all the same, maybe by another node

export async function remoteService({
  config,
  clock,
  isInCluster,
  deciding,
}: RemoteServiceParts): Promise<TimerService> {
  /** Made here, and not sent yet. */
  const newIds = new Set<TimerUuid>()
  const execute = (command: ShardCommand): Promise<Executed> => {
    const sentAt = clock.now()
    return isInCluster && newIds.delete(command.uuid)
      ? deciding.call('executeNew', { command: command as CreateCommand, sentAt })
      : deciding.call('execute', { command: command as Command, sentAt }) // calendars are documents, and the main thread's
  }
  const engine: TimerServiceOptions['engine'] = {
    execute,
    begin: (command, outcomes, place) =>
      void execute(command).then(
        (result) => outcomes.executed(place, result),
        (error: unknown) => outcomes.refused(place, error),
      ),
    find: (identity) => deciding.call('find', identity),
    view: (timer) => timer, // it has been seen when it comes
    // The deciding thread knows which shards are this node's; it is asked with the command.
    owns: ({ uuid }) => {
      if (!isInCluster) return true
      if (newIds.size >= NEW_IDS_MAX) newIds.clear()
      newIds.add(uuid)
      return true
    },
    get calendars(): never {
      throw new Error('calendars are the main thread’s')
    },
  }
  return new TimerService({
    engine,
    store: NO_STORE,
    clock,
    namespaces: config.namespaces,
    refuseTarget: targetRefusal(await judgingTargets(config, clock)),
    observer: { executed: (_command: Command) => {} }, // the deciding thread tells those who watch
  })
}

/** They are only asked what they refuse. What NATS needs loads where it is configured. */
async function judgingTargets(config: Config, clock: Clock): Promise<readonly TargetAdapter[]> {
  if (config.broker === null) return [buildHttpTarget({ config, clock }, []), new NoneTarget()]
  const { buildTargets, timerProtocols } = await import('../../assembly.ts')
  return buildTargets({ config, clock, broker: NO_BROKER }, timerProtocols(config))
}

/** No route of an entry thread asks the store. */
const NO_STORE = {} as TimerServiceOptions['store']
const NO_BROKER = {} as Broker
