// What each route of this folder is called, takes and answers: validation and the OpenAPI document come from here.

import { Type } from '../../runtime/schema-type.ts'
import type { Static, TSchema } from 'typebox'
import { CALENDAR_ENTRIES_MAX, CALENDAR_NAME_CHARS_MAX, NAMESPACE_CHARS_MAX } from '../../core/limits.ts'
import { ACCESS_FAILURES, failures } from '../docs/native-failures.ts'
import type { FailureStatus } from '../docs/native-failures.ts'

const ENTRY_CHARS_MAX = 50 // the longest form has 33

const Entries = (description: string) =>
  Type.Array(Type.String({ maxLength: ENTRY_CHARS_MAX }), { maxItems: CALENDAR_ENTRIES_MAX, description })
const FORMS =
  '2026-12-25 (a day), 2026-12-24/2027-01-01 (the days from the first to the last), --12-25 (of every year), SAT-SUN, 12:00-13:00 (of every day), or days with a time: MON-FRI 09:00-17:00.'
const ZONE = 'Whose days and clocks are meant, such as Europe/Berlin.'

export const CalendarBody = Type.Object(
  {
    timeZone: Type.Optional(Type.String({ description: `${ZONE} Default UTC.` })),
    exclude: Type.Optional(Entries(`When nothing fires: ${FORMS}`)),
    allow: Type.Optional(
      Entries('If there are any, nothing fires at other times. The same forms. What is excluded stays so.'),
    ),
  },
  { additionalProperties: false },
)
export type CalendarBody = Static<typeof CalendarBody>

const CalendarAnswer = Type.Object(
  {
    namespace: Type.String(),
    name: Type.String(),
    timeZone: Type.String({ description: ZONE }),
    exclude: Entries('When nothing fires.'),
    allow: Entries('If there are any, nothing fires at other times.'),
  },
  { additionalProperties: false },
)

const CalendarPath = Type.Object({
  name: Type.String({
    maxLength: CALENDAR_NAME_CHARS_MAX,
    description: 'The name of the calendar.',
    examples: ['business-hours'],
  }),
})
const CalendarQuery = Type.Object(
  {
    namespace: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: NAMESPACE_CHARS_MAX,
        description: 'Default: default.',
        examples: ['default'],
      }),
    ),
  },
  { additionalProperties: false },
)

export const CALENDAR_EXAMPLE = {
  request: {
    timeZone: 'Europe/Berlin',
    exclude: ['--12-25', '--12-26', '2026-12-24 12:00-24:00'],
    allow: ['MON-FRI 09:00-17:00'],
  },
  answer: {
    namespace: 'default',
    name: 'business-hours',
    timeZone: 'Europe/Berlin',
    exclude: ['--12-25', '--12-26', '2026-12-24 12:00-24:00'],
    allow: ['MON-FRI 09:00-17:00'],
  },
}

const tags = ['calendars']

function answers(schema: TSchema, example: unknown, ...statuses: readonly FailureStatus[]): Record<string, unknown> {
  const success = { description: 'Done.', content: { 'application/json': { schema, example } } }
  return { 200: success, ...failures(400, 503, ...statuses, ...ACCESS_FAILURES) }
}

export const LIST_CALENDARS = {
  operationId: 'listCalendars',
  tags,
  summary: 'List the calendars of a namespace',
  description: 'All of them, by name.',
  querystring: CalendarQuery,
  response: answers(Type.Object({ calendars: Type.Array(CalendarAnswer) }), { calendars: [CALENDAR_EXAMPLE.answer] }),
}

export const GET_CALENDAR = {
  operationId: 'getCalendar',
  tags,
  summary: 'Read a calendar',
  params: CalendarPath,
  querystring: CalendarQuery,
  response: answers(CalendarAnswer, CALENDAR_EXAMPLE.answer, 404),
}

export const PUT_CALENDAR = {
  operationId: 'putCalendar',
  tags,
  summary: 'Make or replace a calendar',
  description:
    'Stored on disk when it answers; counts on every node within a second. Timers that wait keep their time: whether it is ' +
    'excluded is judged again when it comes.',
  params: CalendarPath,
  querystring: CalendarQuery,
  body: { ...CalendarBody, examples: [CALENDAR_EXAMPLE.request] } as typeof CalendarBody,
  response: answers(CalendarAnswer, CALENDAR_EXAMPLE.answer, 413),
}

export const DELETE_CALENDAR = {
  operationId: 'deleteCalendar',
  tags,
  summary: 'Delete a calendar',
  description: 'Timers that name it go on firing, as if they named none; the log says so.',
  params: CalendarPath,
  querystring: CalendarQuery,
  response: {
    204: Type.Null({ description: 'Deleted.' }),
    ...failures(400, 404, 503, ...ACCESS_FAILURES),
  } as Record<string, unknown>,
}
