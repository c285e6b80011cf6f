// Timers as the SDK's users write and read them: the generated types with the payload's type and handier times.

import type { Callback, CreateBody, TimerAnswer, UpdateBody } from '../generated.ts'
import { newTimerId } from '../transport/ids.ts'
import type { MaybeWhen, OneOf, When } from '../time/when.ts'
import { wireWhen } from '../time/when.ts'

export type Metadata = Readonly<Record<string, string | number | boolean | null>>
export type Status = TimerAnswer['status']

export type Timer<Payload = unknown> = Omit<TimerAnswer, 'payload' | 'metadata' | 'callback'> & {
  readonly payload?: Payload
  /** The payload as JSON, where it has numbers that JavaScript rounds: integers beyond 2^53, for example. */
  readonly payloadText?: string
  readonly metadata?: Metadata
  /** As it was given; header values are shown as ***. */
  readonly callback?: Callback
}

type Settings<Body> = Omit<Body, 'executeAt' | 'schedule' | 'callbackUrl' | 'callback' | 'payload'>

type Targets = { readonly callbackUrl: string } | { readonly callback: Callback }
type Names =
  | { readonly id?: string | undefined; readonly onConflict?: OnConflict | undefined }
  | {
      /** Instead of an id: a create with the same key, from this program or another, makes no second timer. */
      readonly idempotencyKey: string
    }

/** When it fires (`at`, `after` or `every`; `executeAt` or `schedule`), what it calls (`callbackUrl` or `callback`), and what it carries. */
export type NewTimer<Payload = unknown> = Omit<Settings<CreateBody>, 'id' | 'onConflict' | 'idempotencyKey'> &
  When &
  OneOf<Targets, Targets> &
  OneOf<Names, Names> & { readonly payload?: Payload }

/** Only what is given changes. A `payload` or `metadata` of null is taken away. */
export type TimerChanges<Payload = unknown> = Omit<Settings<UpdateBody>, 'namespace' | 'timerId'> &
  MaybeWhen &
  (OneOf<Targets, Targets> | { readonly callbackUrl?: undefined; readonly callback?: undefined }) & {
    readonly payload?: Payload
  }

/** A timer by its id, in the client's namespace or in the one given. A Timer is one too. */
export type TimerName = string | { readonly id: string; readonly namespace?: string | undefined }

export type OnConflict = NonNullable<CreateBody['onConflict']>

/** A create that is ready to be sent, and sent again: it has an id and says what happens when that is taken, or it has an idempotency key. */
export type ReadyCreate = CreateBody & { readonly namespace: string }

/** Of an id that was made here nobody else can know, so a timer that has it already is this one. */
export function readyCreate(timer: NewTimer, namespace: string, onConflict: OnConflict = 'replace'): ReadyCreate {
  const create = { ...inWireTime(timer), namespace: timer.namespace ?? namespace }
  if (timer.idempotencyKey !== undefined) return create
  return {
    ...create,
    id: timer.id ?? newTimerId(),
    onConflict: timer.id === undefined ? 'keep' : (timer.onConflict ?? onConflict),
  }
}

export function updateBody(
  name: { readonly namespace: string; readonly timerId: string },
  changes: TimerChanges,
): UpdateBody & { readonly namespace: string } {
  return { ...inWireTime(changes), ...name }
}

/** Times in the form that the service takes. */
export function inWireTime<Fields extends MaybeWhen>(fields: Fields) {
  const {
    at: _at,
    after: _after,
    every: _every,
    times: _times,
    from: _from,
    executeAt: _executeAt,
    schedule: _schedule,
    ...rest
  } = fields
  return { ...rest, ...wireWhen(fields) }
}
