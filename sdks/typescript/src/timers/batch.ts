// What a batch is made of, and what comes of it.

import type { DuetimeError } from '../errors.ts'
import type { NewTimer, Timer, TimerChanges } from './timer.ts'

export type BatchUpdate<Payload = unknown> = TimerChanges<Payload> & {
  readonly action: 'update'
  readonly timerId: string
  /** Default: that of the client. */
  readonly namespace?: string | undefined
}
export type BatchCancel = {
  readonly action: 'delete'
  readonly timerId: string
  /** Default: that of the client. */
  readonly namespace?: string | undefined
  readonly ifVersion?: number | undefined
}
/** Without an action it is a create. */
export type BatchItem<Payload = unknown> = NewTimer<Payload> | BatchUpdate<Payload> | BatchCancel

export type BatchResult<Payload = unknown> =
  | { readonly ok: true; readonly timer: Timer<Payload> }
  | { readonly ok: false; readonly error: DuetimeError }
/** The timer is null for a cancel. */
export type ItemResult<Payload = unknown> =
  | { readonly ok: true; readonly timer: Timer<Payload> | null }
  | { readonly ok: false; readonly error: DuetimeError }

type Name = { readonly id: string; readonly namespace?: string | undefined }
type Sorted<Payload> =
  | { readonly action: 'create'; readonly timer: NewTimer<Payload> }
  | { readonly action: 'update'; readonly name: Name; readonly changes: TimerChanges<Payload> }
  | { readonly action: 'delete'; readonly name: Name; readonly ifVersion: number | undefined }

export function asItem<Payload>(item: BatchItem<Payload>): Sorted<Payload> {
  if (!('action' in item)) return { action: 'create', timer: item }
  if (item.action === 'delete') {
    const { timerId: id, namespace, ifVersion } = item
    return { action: 'delete', name: { id, namespace }, ifVersion }
  }
  const { action, timerId: id, namespace, ...changes } = item
  return { action, name: { id, namespace }, changes: changes as TimerChanges<Payload> }
}
