// What happens in the service as it happens, for as long as the caller listens: a stream that breaks is opened again.

import { backoffMs } from './transport/backoff.ts'
import { DuetimeError } from './errors.ts'
import { readEvents } from './transport/event-stream.ts'
import type { StreamEvent } from './transport/event-stream.ts'
import type { Overview } from './insight.ts'
import { platform } from './platform.ts'
import type { AbortSignalLike } from './platform.ts'
import type { Status } from './timers/timer.ts'
import { queryText, sleep } from './transport/transport.ts'
import type { Transport } from './transport/transport.ts'

export type LiveOverview = Pick<
  Overview,
  | 'now'
  | 'node'
  | 'namespace'
  | 'counts'
  | 'countsAt'
  | 'gauges'
  | 'lastMinute'
  | 'lastHour'
  | 'lateness'
  | 'latenessLastMinute'
> & {
  readonly lastSecond: Overview['perSecond'][number] & { readonly lateness: Overview['lateness']['histogram'] }
  /** Samples that the service left out since the last one: it shows up to 50 of each kind a second. */
  readonly skipped: { readonly firings: number; readonly changes: number }
}

/** An attempt that ended. */
export type LiveFiring = {
  readonly namespace: string
  readonly id: string
  readonly dueAt: string
  readonly firedAt: string
  /** How late the firing began; null for its second attempt and those after it, which are late on purpose. */
  readonly latenessMs: number | null
  readonly outcome: string
  readonly statusCode: number | null
  readonly error: string | null
  readonly attempt: number
  readonly durationMs: number
  /** What the timer is after it. */
  readonly status: Status
  /** When it fires next, if it does. */
  readonly nextAt: string | null
}

/** A timer that was created, updated, canceled, … */
export type LiveChange = {
  readonly type: string
  readonly namespace: string
  readonly id: string
  readonly at: string
  readonly dueAt: string
  readonly status: Status
  readonly version: number
}

export type LiveEvent =
  | { readonly type: 'overview'; readonly data: LiveOverview }
  | { readonly type: 'firing'; readonly data: LiveFiring }
  | { readonly type: 'change'; readonly data: LiveChange }
  /** So many events were lost because they were read too slowly. */
  | { readonly type: 'skipped'; readonly data: { readonly events: number } }

export type LiveOptions = {
  /** Of this namespace only. Default: all that the key may see. */
  readonly namespace?: string | undefined
  /** End after so many seconds; 0: after the first overview. */
  readonly forSeconds?: number | undefined
  /** Ends the iteration, without an error. */
  readonly signal?: AbortSignalLike | undefined
  /** Told when the stream opens, and when it breaks or cannot be opened: `broken` says why, and when it is tried again. */
  readonly onConnection?: ((isConnected: boolean, broken: LiveBreak | null) => void) | undefined
  /** How long to wait, given the failures in a row before this one; never less than the service asks for. Default: 5 s at most. */
  readonly backoffMs?: ((failuresBefore: number) => number) | undefined
}

export type LiveBreak = {
  /** Why it could not be opened; null when it was open and ended. */
  readonly error: DuetimeError | null
  readonly retryInMs: number
}

export async function* liveEvents(transport: Transport, options: LiveOptions): AsyncGenerator<LiveEvent, void, void> {
  const { namespace, forSeconds, signal, onConnection } = options
  const waitMs = (retry: number, askedMs: number | null) =>
    options.backoffMs === undefined ? backoffMs(retry, askedMs) : Math.max(options.backoffMs(retry), askedMs ?? 0)
  const path = `/api/v1/live${queryText({ namespace, forSeconds })}`
  const isAborted = () => signal?.aborted === true
  for (let retry = 0; !isAborted(); retry++) {
    let failure: DuetimeError | null = null
    const onOpen = () => {
      retry = 0
      onConnection?.(true, null)
    }
    try {
      for await (const { type, data } of connection(transport, path, signal, onOpen)) {
        // What arrived together with it is no longer wanted either.
        if (isAborted()) return
        const event = { type, data: JSON.parse(data) as unknown }
        if (type !== 'end') yield event as LiveEvent
        else if ((event.data as { readonly reason?: string }).reason === 'time') return
      }
    } catch (error) {
      if (isAborted()) return
      // A refusal that waiting will not change is the caller's to hear of; anything else is a connection that broke, a
      // server that fails included: it was asked for nothing that could be wrong.
      if (error instanceof DuetimeError && !error.retryable && error.status < 500) throw error
      if (error instanceof DuetimeError) failure = error
    }
    const retryInMs = waitMs(retry, failure?.retryAfterMs ?? null)
    onConnection?.(false, { error: failure, retryInMs })
    await sleep(retryInMs, signal).catch(() => {})
  }
}

const SILENCE_MAX_MS = 30_000 // the service says something every second, and every 15 s at the very least

/** One connection, from its opening until it ends, breaks, falls silent or nobody reads it any more. */
async function* connection(
  transport: Transport,
  path: string,
  signal: AbortSignalLike | undefined,
  onOpen: () => void,
): AsyncGenerator<StreamEvent, void, void> {
  const controller = new platform.AbortController()
  const onAbort = () => controller.abort(signal?.reason)
  signal?.addEventListener('abort', onAbort)
  let silence: unknown
  const onActivity = () => {
    platform.clearTimeout(silence)
    silence = platform.setTimeout(() => controller.abort(), SILENCE_MAX_MS)
  }
  onActivity()
  try {
    const response = await transport.open({ method: 'GET', path }, controller.signal)
    onOpen()
    yield* readEvents(response.body!.getReader(), onActivity)
  } finally {
    platform.clearTimeout(silence)
    signal?.removeEventListener('abort', onAbort)
    controller.abort()
  }
}
