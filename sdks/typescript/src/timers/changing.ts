// One change of one timer. A change that says it is too late after an answer was lost may have been in time the first time.

import { DuetimeError } from '../errors.ts'
import type { NameBody } from '../generated.ts'
import type { Timer } from './timer.ts'
import type { Budget, Call, Transport } from '../transport/transport.ts'

type Change = Pick<Call, 'path' | 'gathered'> & {
  readonly body: NameBody
  /** Whether the timer is as it would be after the change. */
  readonly isDone: (timer: Timer) => boolean
}

export async function changeOnce(
  transport: Transport,
  { path, body, isDone, gathered = null }: Change,
  budget: Budget,
) {
  let isRepeated = false
  const bodyOf = (uncertain: boolean) => {
    isRepeated = uncertain
    return body
  }
  try {
    return (await transport.request({ method: 'POST', path, body: bodyOf, gathered }, budget)).body
  } catch (error) {
    const isConflict =
      error instanceof DuetimeError && (error.code === 'TIMER_NOT_PENDING' || error.code === 'VERSION_CONFLICT')
    if (!isRepeated || !isConflict) throw error
    const timer = await found(transport, body, budget)
    if (isDone(timer)) return timer
    throw error
  }
}

async function found(transport: Transport, { namespace, timerId }: NameBody, budget: Budget): Promise<Timer> {
  const call = { method: 'POST', path: '/api/v1/timers/get', body: () => ({ namespace, timerId }) } as const
  return (await transport.request(call, budget)).body as Timer
}
