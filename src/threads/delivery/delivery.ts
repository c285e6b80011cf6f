// What a thread of deliveries runs: the HTTP target, as the main thread would have it.

import { DELIVERIES } from '../../http/contracts/all-deliveries.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import { buildHttpTarget } from '../../targets/http/from-config.ts'
import { BatchedPort } from '../channel/batched-port.ts'
import type { Port } from '../channel/batched-port.ts'
import { failureOf } from '../channel/failure.ts'
import type { ReadyMessage } from '../kept-thread.ts'
import type { DeliveryData, FromDelivery, ToDelivery } from './messages.ts'

export function openDelivery({ config }: DeliveryData, at: Port, clock: Clock): void {
  const target = buildHttpTarget({ config, clock }, DELIVERIES)
  /** Of groups that are not aborted. The engine has one. */
  const groups = new Map<number, AbortController>()
  const signalOf = (group: number): AbortSignal => {
    let controller = groups.get(group)
    if (controller === undefined) groups.set(group, (controller = new AbortController()))
    return controller.signal
  }
  const port = new BatchedPort<FromDelivery | ReadyMessage, ToDelivery>(at, (message) => {
    if ('abortGroup' in message) {
      groups.get(message.abortGroup)?.abort()
      groups.delete(message.abortGroup)
      return
    }
    const { deliver: delivered, group, firing } = message
    target.deliver(firing, signalOf(group)).then(
      (outcome) => port.send({ delivered, outcome }),
      (error: unknown) => port.send({ delivered, failure: failureOf(error) }),
    )
  })
  port.send({ type: 'ready' })
}
