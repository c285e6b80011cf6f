// What clients can say beside a schedule: where clocks change, when it begins and ends, how firings are spread, when nothing fires,
// and what happens to those that were missed or that come while the last one is not over.

import { Type } from '../runtime/schema-type.ts'
import type { Static } from 'typebox'
import { inField, invalidInput } from '../core/errors.ts'
import { CALENDAR_NAME_CHARS_MAX, CATCH_UP_MAX, RETRY_DURATION_MAX_MS, SPREAD_MAX_MS } from '../core/limits.ts'
import { parseCalendarName } from '../core/time/calendar/calendar.ts'
import type { CalendarRule, FiringRules } from '../core/time/firing-rules.ts'
import { firstFiring } from '../core/time/firings.ts'
import { formatInterval, parseInterval } from '../core/time/interval.ts'
import { isoText } from '../core/time/iso-text.ts'
import { parseSchedule } from '../core/time/schedule.ts'
import type { Schedule } from '../core/time/schedule.ts'
import { CatchUp, Overlap } from '../core/timer/timer.ts'
import type { Millis } from '../core/timer/timer.ts'

const words = <Word extends string>(...allowed: readonly Word[]) => ({ type: 'string', enum: allowed })

export const DstField = Type.Object(
  {
    gap: Type.Optional(
      Type.Unsafe<'shift' | 'skip'>({
        ...words('shift', 'skip'),
        description: 'A local time that clocks skip: shifted, as much later as they go forward (default), or skipped.',
      }),
    ),
    overlap: Type.Optional(
      Type.Unsafe<'first' | 'second' | 'both'>({
        ...words('first', 'second', 'both'),
        description:
          'A local time that clocks show twice: the first time (default), the second, or both. Cron whose minutes or hours begin with * has both as its default.',
      }),
    ),
  },
  { additionalProperties: false, description: 'In the nights when clocks change.' },
)

export const CalendarRuleField = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: CALENDAR_NAME_CHARS_MAX, description: 'Its name in the namespace.' }),
    onExcluded: Type.Optional(
      Type.Unsafe<'skip' | 'move'>({
        ...words('skip', 'move'),
        description:
          'A firing that the calendar excludes: skip it (default where the schedule repeats), or move it to the next allowed time (what fires once is always moved).',
      }),
    ),
  },
  { additionalProperties: false, description: 'A calendar: nothing fires when it says so.' },
)

export const firingRulesFields = {
  dst: Type.Optional(DstField),
  startAt: Type.Optional(
    Type.String({
      description:
        'Of a schedule that repeats: nothing fires before. An instant, or a local time in the timeZone. A cycle without a start of its own begins then.',
    }),
  ),
  endAt: Type.Optional(
    Type.String({ description: 'Of a schedule that repeats: nothing fires after. Written as startAt.' }),
  ),
  maxFirings: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000_000,
      description: 'Of a schedule that repeats: how many iterations it has. Those that are passed over count.',
    }),
  ),
  spread: Type.Optional(
    Type.String({
      description:
        'Up to so much later, such as PT5M or 5m: by a part that follows from the timer’s id, so that many timers of one time do not fire at once. At most 24h.',
    }),
  ),
  calendar: Type.Optional(CalendarRuleField),
}

/** As clients write it. */
type WrittenCatchUp = 'all' | 'one' | 'none' | { readonly max: number }

export const CatchUpField = Type.Unsafe<WrittenCatchUp>({
  anyOf: [
    { type: 'string', enum: Object.values(CatchUp) },
    {
      type: 'object',
      properties: { max: { type: 'integer', minimum: 1, maximum: CATCH_UP_MAX } },
      required: ['max'],
      additionalProperties: false,
    },
  ],
  title: `one of ${Object.values(CatchUp).join(', ')}, or {"max": 1 to ${CATCH_UP_MAX}}`,
  description:
    'Iterations missed while the service was down: deliver all of them (default), one for all, none (later than a minute, or than maxLateness, is missed), or the last so many ({"max": 3}).',
})

export const missedFields = {
  catchUp: Type.Optional(CatchUpField),
  maxLateness: Type.Optional(
    Type.String({
      description:
        'A firing that would begin later than this after its due time is missed: it is not made, and counted in skipped. PT1H or 1h.',
    }),
  ),
  overlap: Type.Optional(
    Type.Unsafe<Overlap>({
      type: 'string',
      enum: Object.values(Overlap),
      description:
        'Iterations that come due while the last one is not over: skip them; queue one, the last; or allow each to run beside the others, with its own retries. By default every one follows, one after the other.',
    }),
  ),
}

export function readCatchUp(written: WrittenCatchUp): CatchUp {
  return typeof written === 'string' ? written : written.max
}

export function catchUpJson(catchUp: CatchUp): string {
  return typeof catchUp === 'number' ? `{"max":${catchUp}}` : `"${catchUp}"`
}

export function readMaxLateness(text: string): Millis {
  const ms = inField('maxLateness', () => parseInterval(text))
  if (ms >= 1_000 && ms <= RETRY_DURATION_MAX_MS) return ms
  throw invalidInput('maxLateness', `maxLateness is 1s to ${formatInterval(RETRY_DURATION_MAX_MS)}, not ${text}`)
}

export type FiringRulesFields = {
  readonly [K in keyof typeof firingRulesFields]?: Static<(typeof firingRulesFields)[K]> | undefined
}

export function readFiringRules(fields: FiringRulesFields, timeZone: string | null): FiringRules | null {
  const { dst, startAt, endAt, maxFirings, spread, calendar } = fields
  if (
    dst === undefined &&
    startAt === undefined &&
    endAt === undefined &&
    maxFirings === undefined &&
    spread === undefined &&
    calendar === undefined
  )
    return null
  const rules: FiringRules = {
    ...(dst !== undefined && { dst }),
    ...(startAt !== undefined && { startAt: momentIn('startAt', startAt, timeZone) }),
    ...(endAt !== undefined && { endAt: momentIn('endAt', endAt, timeZone) }),
    ...(maxFirings !== undefined && { maxFirings }),
    ...(spread !== undefined && { spreadMs: readSpread(spread) }),
    ...(calendar !== undefined && { calendar: readCalendarRule(calendar) }),
  }
  if (rules.startAt !== undefined && rules.endAt !== undefined && rules.endAt < rules.startAt)
    throw invalidInput('endAt', 'endAt is before startAt')
  return rules
}

function readCalendarRule({ name, onExcluded = 'skip' }: Static<typeof CalendarRuleField>): CalendarRule {
  return { name: parseCalendarName(name, 'calendar.name'), onExcluded }
}

/** What fires once is moved: skipping it would be never firing at all. */
export function movedOnce<S extends Schedule>(schedule: S, { calendar: asked }: FiringRulesFields): S {
  const { rules } = schedule
  if (rules?.calendar === undefined) return schedule
  if (asked?.onExcluded === 'skip')
    throw invalidInput('calendar.onExcluded', 'a timer that fires once cannot be skipped: write move, or leave it out')
  return { ...schedule, rules: { ...rules, calendar: { ...rules.calendar, onExcluded: 'move' } } }
}

/** Of the fields that belong to schedules that repeat, the first that is given. */
export function boundOf({ startAt, endAt, maxFirings }: FiringRules): string | null {
  if (startAt !== undefined) return 'startAt'
  if (endAt !== undefined) return 'endAt'
  return maxFirings === undefined ? null : 'maxFirings'
}

function momentIn(field: string, text: string, timeZone: string | null): Millis {
  return inField(field, () => {
    const moment = parseSchedule(text, timeZone)
    if (moment.kind === 'instant' || moment.kind === 'local') return firstFiring(moment, 0).nominalAt
    throw invalidInput(field, 'write one moment, such as 2030-01-31T09:00:00Z')
  })
}

function readSpread(text: string): Millis {
  const ms = inField('spread', () => parseInterval(text))
  if (ms >= 1 && ms <= SPREAD_MAX_MS) return ms
  throw invalidInput('spread', `spread is 1ms to ${formatInterval(SPREAD_MAX_MS)}, not ${text}`)
}

/** As fields of the timer's JSON, each with a comma before it. */
export function firingRulesJson({ dst, startAt, endAt, maxFirings, spreadMs, calendar }: FiringRules): string {
  let json = ''
  if (dst !== undefined) json += `,"dst":${JSON.stringify(dst)}`
  if (startAt !== undefined) json += `,"startAt":"${isoText(startAt)}"`
  if (endAt !== undefined) json += `,"endAt":"${isoText(endAt)}"`
  if (maxFirings !== undefined) json += `,"maxFirings":${maxFirings}`
  if (spreadMs !== undefined) json += `,"spread":"${formatInterval(spreadMs)}"`
  if (calendar !== undefined) json += `,"calendar":${JSON.stringify(calendar)}`
  return json
}
