// What is fixed when a database is first used, and how stores for several nodes are opened.

import { randomBytes } from 'node:crypto'
import type { Millis } from '../../core/timer/timer.ts'
import { systemClock } from '../../runtime/clock/clock.ts'
import { StoreError } from '../store.ts'

export type StoreSettings = { readonly shards: number; readonly secret: string }
export type StoredSettings = StoreSettings & { readonly format: number }

export type KeyedOptions = {
  /** How many shards a new database gets. */
  readonly shards?: number
  /** A beat that has not been answered by then is given up, so that the next one can be made before others take the shards. */
  readonly beatWithinMs?: number
}

export const FORMAT = 1
const SECRET_BYTES = 32
const SHARDS_DEFAULT = 64
const BEAT_WITHIN_DEFAULT_MS = 2_000

/** For the first one who stores them; whoever comes later takes those that are there. */
export function newSettings({ shards = SHARDS_DEFAULT }: KeyedOptions): StoredSettings {
  return { format: FORMAT, shards, secret: randomBytes(SECRET_BYTES).toString('base64') }
}

/** As they are stored at this place. */
export function settingsOf({ format, shards, secret }: StoredSettings, place: string): StoreSettings {
  if (format !== FORMAT)
    throw StoreError.lasting(`${place} has format ${String(format)}, and this program knows ${FORMAT}`)
  return { shards, secret }
}

/** A beat in the time that it has. What was sent goes on, and nobody waits for it any more. */
export async function inTime<T>(call: (withinMs: Millis) => Promise<T>, { beatWithinMs }: KeyedOptions): Promise<T> {
  const withinMs = beatWithinMs ?? BEAT_WITHIN_DEFAULT_MS
  const late = Promise.withResolvers<never>()
  const cancel = systemClock.after(withinMs, () =>
    late.reject(new StoreError('the database did not answer a heartbeat in time', { outcomeUnknown: true })),
  )
  try {
    return await Promise.race([call(withinMs), late.promise])
  } finally {
    cancel()
  }
}
