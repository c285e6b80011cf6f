// Creates that can be sent twice without making two timers, or firing one twice. When an answer was lost, the next
// attempt asks not to replace anything; a timer that is in the way then is either the one that the first attempt made,
// which is the answer, or another one, and then it is judged as if nothing had been sent before.

import { DuetimeError } from '../errors.ts'
import { platform } from '../platform.ts'
import { wholeTimer } from './made-timer.ts'
import type { MadeTimer } from './made-timer.ts'
import { isAsAsked } from './same-timer.ts'
import type { ReadyCreate, Timer } from './timer.ts'
import type { Gatherer } from '../transport/gathering.ts'
import type { Budget, Transport } from '../transport/transport.ts'

const CLOCKS_APART_MS = 1_000 // of two nodes of one cluster; what the timer is like is compared as well

/** `by`: sends it together with others; null: by itself. */
export async function createOne(
  transport: Transport,
  create: ReadyCreate,
  budget: Budget,
  by: Gatherer | null,
): Promise<Timer> {
  let isRepeated = false
  const body = (uncertain: boolean) => {
    isRepeated = uncertain
    return uncertain ? withoutReplacing(create) : create
  }
  const gathered = by && ({ by, action: 'create' } as const)
  try {
    const call = { method: 'POST', path: '/api/v1/timers/create', body, gathered } as const
    const { body: answer, short } = await transport.request(call, budget)
    return short === undefined ? (answer as Timer) : wholeTimer(short.sent, answer as MadeTimer, short.plainTimer)
  } catch (error) {
    if (!isRepeated || !(error instanceof DuetimeError)) throw error
    const there = timerInTheWay(error)
    if (there === null) throw error
    if (isMade(there, create, error.serverTime, budget)) return there
    if (create.onConflict === 'reject') throw error
    return createOne(transport, create, budget, by)
  }
}

function withoutReplacing(create: ReadyCreate): ReadyCreate {
  return create.onConflict === 'replace' ? { ...create, onConflict: 'reject' } : create
}

function timerInTheWay({ code, details }: DuetimeError): Timer | null {
  return code === 'TIMER_ALREADY_EXISTS' ? ((details['timer'] as Timer | undefined) ?? null) : null
}

/** It was made since the call began, by the server's own clock where that is known, and it is what was asked for. */
function isMade(there: Timer, create: ReadyCreate, serverTime: string | null, { startedAt }: Budget): boolean {
  const now = serverTime === null ? Date.now() : Date.parse(serverTime)
  const began = now - (platform.performance.now() - startedAt) - CLOCKS_APART_MS
  return Date.parse(there.createdAt) >= began && isAsAsked(there, create)
}
