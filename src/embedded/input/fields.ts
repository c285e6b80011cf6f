// What a program says about a timer. The same words as in the HTTP API, checked by the same schemas;
// times and payloads are values of the program.

import { Type } from '../../runtime/schema-type.ts'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { OnConflict } from '../../core/rules/command.ts'
import { DuetimeError, ErrorCode } from '../../core/errors.ts'
import { Overlap, Status } from '../../core/timer/timer.ts'
import { CallbackField } from '../../language/callback.ts'
import type { Callback } from '../../language/callback.ts'
import { CatchUpField, firingRulesFields } from '../../language/firing-rules.ts'
import { MetadataField } from '../../language/metadata.ts'
import type { Metadata } from '../../language/metadata.ts'
import { RetryPolicyFields } from '../../language/retry-policy.ts'
import { fieldFault } from './field-fault.ts'
import type { SchemaFault } from './field-fault.ts'
import type { InstantLike, MaybeWhen, When } from './when.ts'

/** A timer by its id; in the namespace `default` unless it says another. */
export type TimerRef = string | { readonly id: string; readonly namespace?: string | undefined }

type Settings<Payload> = {
  /** What to do with iterations missed while the program did not run: all of them, one for all, none, or the last so many. */
  readonly catchUp?: 'all' | 'one' | 'none' | { readonly max: number } | undefined
  /** A firing that would begin later than this is not made: '1h', 'PT1H'. */
  readonly maxLateness?: string | undefined
  /** Iterations that come due while the last one is not over: skip them, queue one, or allow them beside it. */
  readonly overlap?: 'skip' | 'queue' | 'allow' | undefined
  /** Call this instead of the namespace's handler. */
  readonly callback?: Callback | undefined
  /** Any JSON value. */
  readonly payload?: Payload | undefined
  /** Labels to find timers by. */
  readonly metadata?: Metadata | null | undefined
  readonly retryPolicy?: RetryPolicyFields | undefined
  /** How long the handler may take, 1s to 1h; 30s if left out. */
  readonly callbackTimeout?: string | undefined
}

export type CreateFields<Payload = unknown> = Settings<Payload> &
  When & {
    readonly namespace?: string | undefined
    /** Made up if left out. */
    readonly id?: string | undefined
    /** When the id is taken: `replace` the timer (as if left out), `keep` it and answer with it, or `reject`. */
    readonly onConflict?: 'replace' | 'keep' | 'reject' | undefined
  }

/** Only what is given changes. `callback: 'handler'` goes back to the namespace's handler. */
export type UpdateFields<Payload = unknown> = Omit<Settings<Payload>, 'callback'> &
  MaybeWhen & {
    readonly callback?: Callback | 'handler' | undefined
    /** Refused unless the timer has this version. */
    readonly ifVersion?: number | undefined
    /** Bring the timer back if it failed: with these changes it fires at once, or when they say. */
    readonly retry?: boolean | undefined
  }

export type ListFields = {
  readonly namespace?: string | undefined
  readonly status?: Status | readonly Status[] | undefined
  readonly dueFrom?: InstantLike | undefined
  readonly dueTo?: InstantLike | undefined
  readonly metadataKey?: string | undefined
  readonly metadataValue?: string | number | boolean | undefined
  /** Timers on a page: 100 if left out, 1,000 at most. */
  readonly limit?: number | undefined
  /** `nextCursor` of the page before. */
  readonly cursor?: string | undefined
}

export type CalendarFields = {
  /** Whose days and clocks are meant, such as Europe/Berlin. UTC if left out. */
  readonly timeZone?: string | undefined
  /** When nothing fires: '2026-12-25', '2026-12-24/2027-01-01', '--12-25', 'SAT-SUN', '12:00-13:00', 'FRI 15:00-24:00'. */
  readonly exclude?: readonly string[] | undefined
  /** If there are any, nothing fires at other times: 'MON-FRI 09:00-17:00'. */
  readonly allow?: readonly string[] | undefined
}

const words = <Word extends string>(...allowed: readonly Word[]) => Type.Unsafe<Word>({ type: 'string', enum: allowed })
const text = Type.String()
const anything = Type.Unknown()

const settings = {
  at: anything,
  after: anything,
  every: anything,
  times: anything,
  from: anything,
  schedule: text,
  timeZone: text,
  ...firingRulesFields,
  startAt: anything,
  endAt: anything,
  catchUp: CatchUpField,
  maxLateness: text,
  overlap: words(...Object.values(Overlap)),
  payload: anything,
  metadata: MetadataField,
  retryPolicy: RetryPolicyFields,
  callbackTimeout: text,
}
const StatusField = words(...Object.values(Status))

const CREATE = compiled({
  namespace: text,
  id: text,
  ...settings,
  callback: CallbackField,
  onConflict: words(OnConflict.replace, OnConflict.keep, OnConflict.reject),
})
const HANDLER = Type.Literal('handler')
const UPDATE = compiled({
  ...settings,
  callback: Type.Union([HANDLER, CallbackField]),
  ifVersion: Type.Integer({ minimum: 1 }),
  retry: Type.Boolean(),
})
const LIST = compiled({
  namespace: text,
  status: Type.Union([StatusField, Type.Array(StatusField, { minItems: 1 })]),
  dueFrom: anything,
  dueTo: anything,
  metadataKey: Type.String({ minLength: 1 }),
  metadataValue: Type.Unsafe({ type: ['string', 'number', 'boolean'] }),
  limit: Type.Integer({ minimum: 1 }),
  cursor: text,
})
const PREVIEW = compiled({ ...settings, namespace: text, count: Type.Integer({ minimum: 1 }) })

const CALENDAR = compiled({ timeZone: text, exclude: Type.Array(text), allow: Type.Array(text) })

/** Undefined is absent. Throws INVALID_INPUT for what a type checker would have found, so that programs without one are told too. */
export const checkCreate = <Payload>(fields: CreateFields<Payload>): CreateFields<Payload> => checked(CREATE, fields)
export const checkUpdate = <Payload>(fields: UpdateFields<Payload>): UpdateFields<Payload> => checked(UPDATE, fields)
export const checkList = (fields: ListFields): ListFields => checked(LIST, fields)
export const checkCalendar = (fields: CalendarFields): CalendarFields => checked(CALENDAR, fields)
export const checkPreview = <Fields extends MaybeWhen>(fields: Fields): Fields => checked(PREVIEW, fields)

type Schema = {
  readonly known: readonly string[]
  check(value: unknown): boolean
  faults(value: unknown): readonly SchemaFault[]
}

function compiled(fields: Record<string, TSchema>): Schema {
  const optional = Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, Type.Optional(schema)]))
  const schema = Compile(Type.Object(optional, { additionalProperties: false }))
  return {
    known: Object.keys(fields),
    check: (value) => schema.Check(value),
    faults: (value) => schema.Errors(value),
  }
}

/** The fields as they were given, if nothing is wrong with them: nearly always. A field that nobody knows may be there, undefined. */
function checked<Fields extends object>(schema: Schema, fields: Fields): Fields {
  if (schema.check(fields)) return fields
  if (typeof fields !== 'object' || fields === null)
    throw new DuetimeError(ErrorCode.invalidInput, 'an object with fields is expected')
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields
  if (!schema.check(given)) throw fieldFault(schema.faults(given), schema.known)
  return given
}
