// Instants as clients write them: ISO 8601 with an offset, so that one text means one moment everywhere.
// Every create passes here, so this is one regular expression and integer arithmetic. Date.parse is not
// used: it takes Feb 30 for Mar 2 and guesses at text it does not know.

import { checkLength, fractionMs } from './duration.ts'
import { invalidSchedule } from '../errors.ts'
import type { Millis } from './millis.ts'
import { monthLength } from './zone/civil-date.ts'

const MINUTE = 60_000
const EXAMPLE = '2030-01-31T09:00:00Z or 2030-01-31T09:00:00.250+01:00'

const DATE_TIME = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(.*)$/
const OFFSET_AND_ZONE = /^(?:Z|([+-])(\d{2})(?::?(\d{2}))?)(?:\[!?([^\][]+)\])?$/
const LOCAL = /^\d{4}-\d{2}-\d{2}T[\d:.,]+((?:\[!?([^\][]+)\])?)$/
const BARE_DATE = /^\d{4}-\d{2}-\d{2}$/
const ZONE_CHARS_MAX = 64 // twice the longest IANA name
/** A name or an offset. Temporal also reads zones out of whole date-times, which is not what a client means here. */
const ZONE_ID = /^(?:[A-Za-z][\w+/-]*|[+-]\d{2}:\d{2})$/

/** To the millisecond; further digits are cut. The past is as good as the future here: the caller judges. */
export function parseInstant(text: string): Millis {
  return parseZonedInstant(text).at
}

/** Also tells the zone of a suffix as in `2030-01-31T09:00:00+01:00[Europe/Berlin]`. `provided` is what an error quotes in its details. */
export function parseZonedInstant(
  text: string,
  provided: string = text,
): { readonly at: Millis; readonly timeZone: string | null } {
  const { local, ending } = parseDateTime(text, provided)
  if (ending === 'Z') return { at: local, timeZone: null }
  const malformed = malformedIn(text, provided)
  if (ending === '') throw malformed('has no offset, so it is a different moment in every time zone')
  const offset = OFFSET_AND_ZONE.exec(ending)
  if (offset === null) throw malformed(`has "${ending}" where Z or an offset such as +01:00 belongs`)
  const [, sign, hours = '0', minutes = '0', zone] = offset
  if (Number(hours) > 23 || Number(minutes) > 59) throw malformed('has an offset that does not exist')
  const offsetMs = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE
  const at = local - offsetMs

  if (zone === undefined) return { at, timeZone: null }
  const timeZone = parseTimeZone(zone, provided)
  // Z with a zone says that the local time does not matter; an offset must be the zone's own, or one of the two is a mistake.
  if (sign !== undefined && zoneOffsetMs(at, timeZone) !== offsetMs) {
    throw malformed(`has an offset that ${timeZone} does not have at that time`)
  }
  return { at, timeZone }
}

/** A date and time without an offset, with or without a zone, as in `2030-01-31T09:00:00[Europe/Berlin]`; null when it is not that. */
export function parseLocalTime(text: string): { readonly local: Millis; readonly timeZone: string | null } | null {
  const [, ending, zone] = LOCAL.exec(text) ?? []
  if (ending === undefined) return null
  const { local } = parseDateTime(text, text)
  return { local, timeZone: zone === undefined ? null : parseTimeZone(zone, text) }
}

/** `ending` is what follows the time of day. */
function parseDateTime(text: string, provided: string): { readonly local: Millis; readonly ending: string } {
  checkLength(text)
  const match = DATE_TIME.exec(text)
  if (match === null) {
    throw malformedIn(
      text,
      provided,
    )(
      BARE_DATE.test(text)
        ? 'is a date without a time and an offset'
        : 'is not an ISO 8601 date and time with an offset',
    )
  }
  const year = Number(match[1])
  const month = Number(match[2])
  const day = Number(match[3])
  const hour = Number(match[4])
  const minute = Number(match[5])
  const second = match[6] === undefined ? 0 : Number(match[6])
  if (month < 1 || month > 12 || day < 1 || day > monthLength(year, month))
    throw malformedIn(text, provided)('names a day that does not exist')
  if (hour > 23 || minute > 59 || second > 59)
    throw malformedIn(text, provided)('names a time of day that does not exist')
  const local = utc(year, month, day) + hour * 60 * MINUTE + minute * MINUTE + second * 1_000 + fractionMs(match[7])
  return { local, ending: match[8] ?? '' }
}

function malformedIn(text: string, provided: string): (why: string) => Error {
  return (why) => invalidSchedule('format', `"${text}" ${why}; write it like ${EXAMPLE}.`, provided)
}

const ZONES_KEPT_MAX = 1_000
const knownZones = new Map<string, string>()

/** The zone's id in its usual spelling. Asked at every firing in a zone, so it is remembered. */
export function parseTimeZone(zone: string, provided: string = zone.slice(0, ZONE_CHARS_MAX)): string {
  const known = knownZones.get(zone)
  if (known !== undefined) return known
  if (zone.length <= ZONE_CHARS_MAX && ZONE_ID.test(zone)) {
    try {
      if (knownZones.size >= ZONES_KEPT_MAX) knownZones.clear()
      const id = Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(zone).timeZoneId
      knownZones.set(zone, id)
      return id
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
    }
  }
  const shown = zone.slice(0, ZONE_CHARS_MAX)
  throw invalidSchedule(
    'range',
    `The time zone "${shown}" is not known; use an IANA name such as Europe/Berlin.`,
    provided,
  )
}

function zoneOffsetMs(at: Millis, timeZone: string): Millis {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone).offsetNanoseconds / 1_000_000
}

const GREGORIAN_CYCLE_MS = 146_097 * 24 * 60 * MINUTE // 400 years, after which the calendar repeats

/** Date.UTC takes the years 0 to 99 for 1900 to 1999, so it is asked 400 years later. */
function utc(year: number, month: number, day: number): Millis {
  return Date.UTC(year + 400, month - 1, day) - GREGORIAN_CYCLE_MS
}
