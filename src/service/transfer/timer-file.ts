// The file that timers are moved in: NDJSON, so that it can be looked at, counted, split and compressed with everybody's
// tools. The first line says what the file is, each further line is a timer, the last one says how many there were, so
// that half a file is never taken for a whole one.
//
// A timer is written as the value it is (core/timer/timer.ts), but for the uuid, which follows from namespace and id. Payload
// and metadata are text in it: what JSON.parse would make of them is not always what was stored.

import { Type } from '../../runtime/schema-type.ts'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { parseNamespace, parseTimerId, timerUuid } from '../../core/timer/ids.ts'
import { isStorable, STORABLE } from '../../core/json/storable-text.ts'
import { faultIn } from '../../core/rules/timer-invariants.ts'
import { CALENDARS_NAMESPACE, readCalendars } from '../../engine/calendars/node-calendars.ts'
import type { Timer } from '../../core/timer/timer.ts'
import { TIMER } from './timer-schema.ts'

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
    const isCalendars = value.namespace === CALENDARS_NAMESPACE
    const namespace = isCalendars ? CALENDARS_NAMESPACE : parseNamespace(value.namespace)
    const id = parseTimerId(value.id)
    const timer = {
      fingerprint: null,
      lastCommand: null,
      tenant: null,
      extra: null,
      running: null,
      rules: null,
      maxLatenessMs: null,
      overlap: null,
      skipped: 0,
      nominalAt: value.dueAt,
      zoned: null,
      ...value,
      namespace,
      id,
      uuid: timerUuid(namespace, id),
    } as Timer
    if (!hasStorableTexts(value)) return fault(`every text of a timer must be ${STORABLE}`)
    const broken = brokenJson(timer)
    if (broken !== null) return fault(broken)
    if (isCalendars) readCalendars(timer.payload!)
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
