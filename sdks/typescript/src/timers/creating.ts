// Creates that can be sent twice without making two timers, or firing one twice. When an answer was lost, the next
// attempt asks not to replace anything; a timer that is in the way then is either the one that the first attempt made,
// which is the answer, or another one, and then it is judged as if nothing had been sent before.

import { DuetimeError } from '../errors.ts'
import type { BatchAnswer, ServerErrorCode } from '../generated.ts'
import { BATCH_TIMERS_MAX } from '../generated.ts'
import { platform } from '../platform.ts'
import { isAsAsked } from './same-timer.ts'
import type { ReadyCreate, Timer } from './timer.ts'
import { mayHaveHappened } from '../transport/transport.ts'
import type { Budget, Transport } from '../transport/transport.ts'

export type BatchResult<Payload = unknown> =
  | { readonly ok: true; readonly timer: Timer<Payload> }
  | { readonly ok: false; readonly error: DuetimeError }

const CLOCKS_APART_MS = 1_000 // of two nodes of one cluster; what the timer is like is compared as well

export async function createOne(transport: Transport, create: ReadyCreate, budget: Budget): Promise<Timer> {
  let isRepeated = false
  const body = (uncertain: boolean) => {
    isRepeated = uncertain
    return uncertain ? withoutReplacing(create) : create
  }
  try {
    return (await transport.request({ method: 'POST', path: '/api/v1/timers/create', body }, budget)).body as Timer
  } catch (error) {
    if (!isRepeated || !(error instanceof DuetimeError)) throw error
    const there = timerInTheWay(error)
    if (there === null) throw error
    if (isMade(there, create, error.serverTime, budget)) return there
    if (create.onConflict === 'reject') throw error
    return createOne(transport, create, budget)
  }
}

/** Results in the order of the timers. As many requests as it takes; an item that meets a busy server is sent again. */
export async function createMany(
  transport: Transport,
  creates: readonly ReadyCreate[],
  budget: Budget,
): Promise<BatchResult[]> {
  const results: BatchResult[] = []
  for (const chunk of chunksOf(creates)) results.push(...(await createChunk(transport, chunk, budget)))
  return results
}

type Item = { readonly create: ReadyCreate; uncertain: boolean; result: BatchResult | null }

async function createChunk(
  transport: Transport,
  creates: readonly ReadyCreate[],
  budget: Budget,
): Promise<BatchResult[]> {
  const items = creates.map((create): Item => ({ create, uncertain: false, result: null }))
  for (let retry = 0; ; retry++) {
    const open = items.filter(({ result }) => result === null)
    if (open.length === 0) return items.map(({ result }) => result!)
    const busy = await sendItems(transport, open, budget)
    if (busy === null) continue
    try {
      if (retry >= budget.retries) throw busy
      await transport.pause(retry, busy, budget)
    } catch (error) {
      if (error !== busy) throw error
      // The others have their results: what is left has this one.
      for (const item of items) item.result ??= { ok: false, error: busy }
    }
  }
}

/** The failure of those that are to be sent again after a while; null when there are none. */
async function sendItems(transport: Transport, items: readonly Item[], budget: Budget): Promise<DuetimeError | null> {
  const body = (uncertain: boolean) => {
    for (const item of items) item.uncertain ||= uncertain
    return { timers: items.map((item) => (item.uncertain ? withoutReplacing(item.create) : item.create)) }
  }
  const { body: answer, serverTime } = await transport.request(
    { method: 'POST', path: '/api/v1/timers/batch', body },
    budget,
  )
  let busy: DuetimeError | null = null
  for (const [index, item] of items.entries()) {
    const answered = (answer as BatchAnswer).results[index]!
    if (answered.timer !== undefined) {
      item.result = { ok: true, timer: answered.timer as Timer }
      continue
    }
    const error = itemError(answered)
    if (error.retryable) {
      item.uncertain ||= mayHaveHappened(error)
      busy = error
    } else item.result = settled(item, error, serverTime, budget)
  }
  return busy
}

/** Null: to be sent again as it was at first. */
function settled(item: Item, error: DuetimeError, serverTime: string | null, budget: Budget): BatchResult | null {
  const there = item.uncertain ? timerInTheWay(error) : null
  if (there === null) return { ok: false, error }
  if (isMade(there, item.create, serverTime, budget)) return { ok: true, timer: there }
  item.uncertain = false
  return item.create.onConflict === 'reject' ? { ok: false, error } : null
}

function itemError({ status, error, message, details }: BatchAnswer['results'][number]): DuetimeError {
  const facts = (details ?? {}) as Readonly<Record<string, unknown>>
  const wait = facts['retryAfterMs']
  return new DuetimeError({
    code: error as ServerErrorCode,
    message: message ?? '',
    status,
    details: facts,
    retryable: status === 503 || status === 429,
    retryAfterMs: typeof wait === 'number' ? wait : null,
  })
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

const BATCH_CHARS_MAX = 300_000 // below the 200,000 values and the 8 MiB that the server takes, however short the values and long the characters

/** By number and, since payloads can be large, by size. */
function* chunksOf(creates: readonly ReadyCreate[]): Generator<ReadyCreate[]> {
  let [chunk, chars]: [ReadyCreate[], number] = [[], 0]
  for (const create of creates) {
    const size = JSON.stringify(create).length
    if (chunk.length > 0 && (chunk.length === BATCH_TIMERS_MAX || chars + size > BATCH_CHARS_MAX)) {
      yield chunk
      ;[chunk, chars] = [[], 0]
    }
    chunk.push(create)
    chars += size
  }
  if (chunk.length > 0) yield chunk
}
