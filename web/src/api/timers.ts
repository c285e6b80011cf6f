// Every call about timers that this page makes, by its name.

import { request } from './http.ts'
import { serverClock } from './server-clock.ts'
import type { Callback, Metadata, RetryPolicy, Status, Timer, TimerName } from './timer.ts'

const PREFIX = 'api/v1/timers'

function post<T>(verb: string, body: unknown, signal?: AbortSignal): Promise<T> {
  return request<T>(`${PREFIX}/${verb}`, { method: 'POST', body, signal })
}

export type Timing = { readonly executeAt?: string; readonly schedule?: string; readonly timeZone?: string }

export type NewTimer = Timing & {
  readonly namespace?: string
  readonly id?: string
  readonly catchUp?: 'all' | 'one'
  readonly callbackUrl?: string
  readonly callback?: Callback
  readonly payload?: unknown
  readonly metadata?: Metadata
  readonly retryPolicy?: Partial<RetryPolicy>
  readonly callbackTimeout?: string
  readonly onConflict?: OnConflict
}
export type OnConflict = 'replace' | 'keep' | 'reject'

/** Which timers are meant, by lists and by changes of many. */
export type Filter = {
  readonly namespace?: string
  readonly search?: string
  readonly status?: readonly Status[]
  readonly dueFrom?: string
  readonly dueTo?: string
  readonly metadataKey?: string
  readonly metadataValue?: string | number | boolean
}

export type SortField = 'dueAt' | 'createdAt'
export type PageQuery = Filter & {
  readonly sort: SortField
  readonly order: 'asc' | 'desc'
  readonly offset: number
  readonly limit: number
}
export type Page = { readonly timers: readonly Timer[]; readonly total: number; readonly searched?: 'prefix' | 'exact' }
export type CursorPage = { readonly timers: readonly Timer[]; readonly nextCursor?: string }

export type BulkResult = {
  readonly matched: number
  readonly tooLate: number
  readonly more: boolean
  readonly canceled?: number
  readonly retried?: number
}

export type BatchResult = {
  readonly results: readonly { readonly status: number; readonly error?: string; readonly message?: string; readonly timer?: Timer }[]
  readonly created: number
  readonly failed: number
}

export type Preview = { readonly now: string; readonly firings: readonly string[] }

export type CallbackTest = {
  readonly outcome: string
  readonly statusCode?: number | null
  readonly durationMs: number
  readonly error?: string | null
  readonly responseBody?: string | null
}

export const timersApi = {
  create: (timer: NewTimer) => post<Timer>('create', timer),
  get: (name: TimerName, signal?: AbortSignal) => post<Timer>('get', name, signal),
  update: (name: TimerName, changes: Partial<NewTimer>, ifVersion: number) => post<Timer>('update', { ...name, ...changes, ifVersion }),
  cancel: (name: TimerName) => post<null>('delete', name),
  trigger: (name: TimerName) => post<Timer>('trigger', name),
  pause: (name: TimerName) => post<Timer>('pause', name),
  resume: (name: TimerName) => post<Timer>('resume', name),
  retry: (name: TimerName) => post<Timer>('retry', name),

  page: (query: PageQuery, signal?: AbortSignal) => post<Page>('list', query, signal),
  /** In the order that is cheapest for the service; goes on however many there are. */
  walk: (filter: Filter & { readonly limit: number; readonly cursor?: string }, signal?: AbortSignal) =>
    post<CursorPage>('list', filter, signal),

  cancelMany: (filter: Filter, dryRun: boolean, signal?: AbortSignal) =>
    post<BulkResult>('cancel', { ...filter, all: true, dryRun }, signal),
  retryMany: (filter: Filter, dryRun: boolean, signal?: AbortSignal) => post<BulkResult>('retry', { ...filter, all: true, dryRun }, signal),
  createMany: (timers: readonly unknown[], onConflict: OnConflict, signal?: AbortSignal) =>
    post<BatchResult>('batch', { timers, onConflict }, signal),

  preview: async (timing: Timing & { readonly count: number }, signal?: AbortSignal): Promise<Preview> => {
    const sentAt = Date.now()
    const preview = await post<Preview>('preview', timing, signal)
    serverClock.note(preview.now, { sentAt, arrivedAt: Date.now() })
    return preview
  },
  testCallback: (callback: {
    readonly callback: Callback
    readonly namespace?: string
    readonly payload?: unknown
    readonly callbackTimeout?: string
  }) => request<CallbackTest>('api/v1/callbacks/test', { method: 'POST', body: callback }),
}
