// The calendars of a namespace over HTTP: named lists of days and times when nothing fires.

import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import type { WrittenCalendar } from '../../core/time/calendar/calendar.ts'
import { DEFAULT_NAMESPACE, parseNamespace } from '../../core/timer/ids.ts'
import type { Namespace } from '../../core/timer/timer.ts'
import { sendJson } from '../answer/send-json.ts'
import { DELETE_CALENDAR, GET_CALENDAR, LIST_CALENDARS, PUT_CALENDAR } from './operations.ts'

const PREFIX = '/api/v1/calendars'

export function registerCalendarRoutes(instance: FastifyInstance): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.get(PREFIX, { schema: LIST_CALENDARS }, async ({ query, timers }, reply) => {
    const namespace = namespaceIn(query)
    const calendars = await timers.calendars.list(namespace)
    return sendJson(reply, `{"calendars":[${calendars.map((one) => calendarJson(namespace, one)).join(',')}]}`)
  })

  app.get(`${PREFIX}/:name`, { schema: GET_CALENDAR }, async ({ params, query, timers }, reply) => {
    const namespace = namespaceIn(query)
    return sendJson(reply, calendarJson(namespace, await timers.calendars.get(namespace, params.name)))
  })

  app.put(`${PREFIX}/:name`, { schema: PUT_CALENDAR }, async ({ params, query, body, timers }, reply) => {
    const namespace = namespaceIn(query)
    const { timeZone = 'UTC', exclude = [], allow = [] } = body
    const written = await timers.calendars.put(namespace, { name: params.name, timeZone, exclude, allow })
    return sendJson(reply, calendarJson(namespace, written))
  })

  app.delete(`${PREFIX}/:name`, { schema: DELETE_CALENDAR }, async ({ params, query, timers }, reply) => {
    await timers.calendars.delete(namespaceIn(query), params.name)
    return reply.code(204).send()
  })
}

function namespaceIn({ namespace }: { readonly namespace?: string }): Namespace {
  return namespace === undefined ? DEFAULT_NAMESPACE : parseNamespace(namespace)
}

function calendarJson(namespace: Namespace, { name, timeZone, exclude, allow }: WrittenCalendar): string {
  return JSON.stringify({ namespace, name, timeZone, exclude, allow })
}
