// The file that timers are moved in: NDJSON, so that it can be looked at, counted, split and compressed with everybody's
// tools. The first line says what the file is, each further line is a timer, the last one says how many there were, so
// that half a file is never taken for a whole one.
//
// A timer is written as the value it is (core/timer/timer.ts), but for the uuid, which follows from namespace and id. Payload
// and metadata are text in it: what JSON.parse would make of them is not always what was stored.

import { Type } from 'typebox'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { parseNamespace, parseTimerId, timerUuid } from '../../core/timer/ids.ts'
import { TARGET_TYPE_NAMES, targetFields } from '../../core/targets/target.ts'
import type { TargetFieldKind } from '../../core/targets/target-type.ts'
import { isStorable, STORABLE } from '../../core/timer/storable-text.ts'
import { faultIn } from '../../core/rules/timer-invariants.ts'
import { CatchUp, Overlap, Status } from '../../core/timer/timer.ts'
import type { Timer } from '../../core/timer/timer.ts'

const FORMAT = 'duetime timers'
/** Grows when an older program could no longer read what a newer one writes. */
const FORMAT_VERSION = 1

export type FileHeader = {
  readonly format: typeof FORMAT
  readonly formatVersion: number
  /** The program that wrote it, and the kind of store it read; for people. */
  readonly program: string
  readonly source: string
  readonly exportedAt: string
  /** By the counters of the store; the last line has what was written. */
  readonly timers: number
}

export function headerLine(header: { program: string; source: string; exportedAt: string; timers: number }): string {
  return `${JSON.stringify({ format: FORMAT, formatVersion: FORMAT_VERSION, ...header } satisfies FileHeader)}\n`
}

export function timerLine(timer: Timer): string {
  return `${JSON.stringify({ ...timer, uuid: undefined })}\n`
}

export function endLine(timers: number): string {
  return `${JSON.stringify({ end: true, timers })}\n`
}

/** What a line says; a fault is a sentence about what is wrong with it. */
export type Line =
  | { readonly type: 'header'; readonly header: FileHeader }
  | { readonly type: 'timer'; readonly timer: Timer }
  | { readonly type: 'end'; readonly timers: number }
  | { readonly type: 'fault'; readonly fault: string }

export function parseLine(text: string): Line {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return fault(notJson('it', error))
  }
  if (typeof value !== 'object' || value === null) return fault('a line is a JSON object')
  if ('format' in value) return parseHeader(value)
  if ('end' in value) return END.Check(value) ? { type: 'end', timers: value.timers } : fault(shapeFault(END, value))
  return parseTimer(value)
}

function parseHeader(value: { readonly format: unknown; readonly formatVersion?: unknown }): Line {
  if (value.format !== FORMAT) return fault(`the format is '${FORMAT}', not ${JSON.stringify(value.format)}`)
  // Before the rest, since a newer header may look otherwise.
  if (value.formatVersion !== FORMAT_VERSION) {
    const given = JSON.stringify(value.formatVersion)
    return fault(`format version ${given} is not known, only ${FORMAT_VERSION}: use the program that wrote the file`)
  }
  return HEADER.Check(value) ? { type: 'header', header: value } : fault(shapeFault(HEADER, value))
}

/** Whoever wrote the file, a timer that the rules could not have made does not get in: the engine relies on them. */
function parseTimer(value: object): Line {
  if (!TIMER.Check(value)) return fault(shapeFault(TIMER, value))
  try {
    const namespace = parseNamespace(value.namespace)
    const id = parseTimerId(value.id)
    const timer = {
      fingerprint: null,
      lastCommand: null,
      tenant: null,
      extra: null,
      rules: null,
      maxLatenessMs: null,
      overlap: null,
      skipped: 0,
      nominalAt: value.dueAt,
      ...value,
      namespace,
      id,
      uuid: timerUuid(namespace, id),
    } as Timer
    if (!hasStorableTexts(value)) return fault(`every text of a timer must be ${STORABLE}`)
    const broken = brokenJson(timer)
    if (broken !== null) return fault(broken)
    const impossible = faultIn(timer)
    return impossible === null ? { type: 'timer', timer } : fault(`it does not hold that ${impossible}`)
  } catch (error) {
    return fault((error as Error).message)
  }
}

/** Payload and metadata included: as JSON text they have escapes for such characters. */
function hasStorableTexts(value: unknown): boolean {
  if (typeof value === 'string') return isStorable(value)
  return typeof value !== 'object' || value === null || Object.entries(value).flat().every(hasStorableTexts)
}

function brokenJson({ payload, metadata }: Timer): string | null {
  for (const [name, json] of Object.entries({ payload, metadata })) {
    try {
      if (json !== null) JSON.parse(json)
    } catch (error) {
      return notJson(name, error)
    }
  }
  return null
}

/** The message itself quotes what it found. */
function notJson(what: string, error: unknown): string {
  const [, position] = / at position (\d+)/.exec((error as Error).message) ?? []
  return `${what} is not JSON${position === undefined ? '' : `, as of character ${Number(position) + 1}`}`
}

function fault(text: string): Line {
  return { type: 'fault', fault: text }
}

type Fault = {
  readonly keyword: string
  readonly instancePath: string
  readonly message: string
  readonly params: object
}
type Checked = { Errors(value: unknown): readonly Fault[] }

/** The first thing that is wrong, without the value: payloads and headers are not for logs. */
function shapeFault(checked: Checked, value: unknown): string {
  const faults = checked.Errors(value).filter(({ keyword }) => keyword !== 'anyOf')
  const path = faults[0]?.instancePath ?? ''
  const here = faults.filter(({ instancePath }) => instancePath === path).map(faultText)
  return [path.slice(1).replaceAll('/', '.'), [...new Set(here)].join(' or ')].filter((text) => text !== '').join(' ')
}

function faultText({ keyword, message, params }: Fault): string {
  if (keyword === 'boolean') return 'is not a field that is known here'
  return 'allowedValues' in params
    ? `must be one of ${(params.allowedValues as readonly string[]).join(', ')}`
    : message
}

const count = Type.Integer({ minimum: 0 })
const millis = Type.Integer()

const HEADER = Compile(
  Type.Object({
    format: Type.Literal(FORMAT),
    formatVersion: count,
    program: Type.String(),
    source: Type.String(),
    exportedAt: Type.String(),
    timers: count,
  } satisfies Record<keyof FileHeader, TSchema>),
)
const END = Compile(Type.Object({ end: Type.Literal(true), timers: count }))

const ATTEMPT = exact({
  at: millis,
  durationMs: Type.Number({ minimum: 0 }),
  outcome: Type.Enum(['delivered', 'rescheduled', 'failed']),
  statusCode: orNull(Type.Integer()),
  error: orNull(Type.String()),
  note: Type.Optional(Type.String()),
} satisfies Record<keyof Timer['attemptLog'][number], TSchema>)

const RETRY = exact({
  maxAttempts: Type.Integer({ minimum: 1 }),
  initialIntervalMs: Type.Number({ minimum: 0 }),
  multiplier: Type.Number({ minimum: 1 }),
  maxIntervalMs: Type.Number({ minimum: 0 }),
  maxDurationMs: Type.Number({ minimum: 0 }),
} satisfies Record<keyof Timer['retry'], TSchema>)

const TARGET_FIELDS: Readonly<Record<TargetFieldKind, TSchema>> = {
  text: Type.String({ minLength: 1 }),
  url: Type.String({ minLength: 1 }),
  optional: orNull(Type.String()),
  headers: orNull(Type.Record(Type.String(), Type.String())),
}

const TARGET = Type.Union(
  TARGET_TYPE_NAMES.map((type) => {
    const fields = targetFields(type).map(({ name, kind }) => [name, TARGET_FIELDS[kind]] as const)
    return exact({ type: Type.Literal(type), ...Object.fromEntries(fields) })
  }),
)

const EXTRA = exact({
  dueAt: millis,
  moved: Type.Optional(Type.Literal(true)),
  number: count,
  regular: exact({
    status: Type.Enum([Status.pending, Status.paused]),
    wakeAt: millis,
    attempts: count,
    firstAttemptAt: orNull(millis),
  }),
} satisfies Record<keyof NonNullable<Timer['extra']>, TSchema>)

const RULES = exact({
  dst: Type.Optional(
    exact({
      gap: Type.Optional(Type.Enum(['shift', 'skip'])),
      overlap: Type.Optional(Type.Enum(['first', 'second', 'both'])),
    }),
  ),
  startAt: Type.Optional(millis),
  endAt: Type.Optional(millis),
  maxFirings: Type.Optional(Type.Integer({ minimum: 1 })),
  lastIteration: Type.Optional(Type.Integer({ minimum: 1 })),
  spreadMs: Type.Optional(count),
} satisfies Record<keyof NonNullable<Timer['rules']>, TSchema>)

const TIMER = Compile(
  exact({
    namespace: Type.String(),
    id: Type.String(),
    version: count,
    status: Type.Enum(Object.values(Status)),
    schedule: orNull(Type.String()),
    timeZone: orNull(Type.String()),
    rules: Type.Optional(orNull(RULES)),
    anchorAt: orNull(millis),
    iteration: count,
    catchUp: Type.Union([Type.Enum(Object.values(CatchUp)), Type.Integer({ minimum: 1 })]),
    maxLatenessMs: Type.Optional(orNull(count)),
    overlap: Type.Optional(orNull(Type.Enum(Object.values(Overlap)))),
    skipped: Type.Optional(count),
    nominalAt: Type.Optional(millis),
    dueAt: millis,
    wakeAt: millis,
    target: TARGET,
    protocol: Type.String({ minLength: 1 }),
    payload: orNull(Type.String()),
    metadata: orNull(Type.String()),
    retry: RETRY,
    timeoutMs: Type.Integer({ minimum: 1 }),
    createdAt: millis,
    updatedAt: millis,
    executedAt: orNull(millis),
    finishedAt: orNull(millis),
    firing: count,
    attempts: count,
    firstAttemptAt: orNull(millis),
    extra: Type.Optional(orNull(EXTRA)),
    lastError: orNull(Type.String()),
    attemptLog: Type.Array(ATTEMPT),
    traceparent: orNull(Type.String()),
    correlationId: orNull(Type.String()),
    fingerprint: Type.Optional(orNull(Type.String())),
    lastCommand: Type.Optional(orNull(exact({ stream: Type.String(), sequence: count }))),
    tenant: Type.Optional(orNull(Type.String())),
    // A field that Timer gains is missed here by the compiler: then it needs a default for files without it.
  } satisfies Record<Exclude<keyof Timer, 'uuid'>, TSchema>),
)

function exact<Properties extends Record<string, TSchema>>(properties: Properties) {
  return Type.Object(properties, { additionalProperties: false })
}

function orNull<Schema extends TSchema>(schema: Schema) {
  return Type.Union([schema, Type.Null()])
}
