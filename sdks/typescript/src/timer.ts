// Timers as the SDK's users write and read them: the generated types with the payload's type and handier times.

import type { Callback, CreateBody, TimerAnswer, UpdateBody } from './generated.ts'
import { newTimerId } from './ids.ts'
import type { When } from './when.ts'
import { wireWhen } from './when.ts'

export type Metadata = Readonly<Record<string, string | number | boolean | null>>
export type Status = TimerAnswer['status']

export type Timer<Payload = unknown> = Omit<TimerAnswer, 'payload' | 'metadata' | 'callback' | 'catchUp'> & {
  readonly payload?: Payload
  readonly metadata?: Metadata
  /** As it was given; header values are shown as ***. */
  readonly callback?: Callback
  /** Of a cycle. */
  readonly catchUp?: 'all' | 'one'
}

type WithoutTiming<Body> = Omit<Body, 'executeAt' | 'schedule' | 'payload'>

/** `at`, `after` or `every` (or `executeAt` or `schedule`), and `callbackUrl` or `callback`. */
export type NewTimer<Payload = unknown> = WithoutTiming<CreateBody> & When & { readonly payload?: Payload }

/** Only what is given changes. A `payload` or `metadata` of null is taken away. */
export type TimerChanges<Payload = unknown> = Omit<WithoutTiming<UpdateBody>, 'namespace' | 'timerId'> &
  When & { readonly payload?: Payload }

/** A timer by its id, in the client's namespace or in the one given. A Timer is one too. */
export type TimerName = string | { readonly id: string; readonly namespace?: string | undefined }

export type OnConflict = NonNullable<CreateBody['onConflict']>

/** A create that is ready to be sent, and sent again: it always has an id, and says what happens when that is taken. */
export type ReadyCreate = CreateBody & { readonly id: string; readonly namespace: string; readonly onConflict: OnConflict }

/** Of an id that was made here nobody else can know, so a timer that has it already is this one. */
export function readyCreate(timer: NewTimer, namespace: string, onConflict: OnConflict = 'replace'): ReadyCreate {
  return {
    ...inWireTime(timer),
    namespace: timer.namespace ?? namespace,
    id: timer.id ?? newTimerId(),
    onConflict: timer.id === undefined ? 'keep' : timer.onConflict ?? onConflict,
  }
}

export function updateBody(name: { namespace: string; timerId: string }, changes: TimerChanges): UpdateBody {
  return { ...inWireTime(changes), ...name }
}

function inWireTime<Fields extends When>(fields: Fields) {
  const { at: _at, after: _after, every: _every, times: _times, from: _from, executeAt: _executeAt, schedule: _schedule, ...rest } = fields
  return { ...rest, ...wireWhen(fields) }
}
