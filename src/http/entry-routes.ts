// The routes that a thread beside the deciding one can answer: those whose handlers only execute commands and read single
// timers. Everything else (lists, statistics, calendars, live streams, metrics, documents, the page) needs what the main
// thread has, is asked for rarely, and is sent there as it came.

import type { FastifyRequest } from 'fastify'

const NATIVE = '/api/v1/timers'
const PLATFORM = '/timers'

const ENTRY_ROUTES: ReadonlySet<string> = new Set([
  ...['create', 'batch', 'get', 'update', 'delete', 'pause', 'resume', 'trigger'].map(
    (verb) => `POST ${NATIVE}/${verb}`,
  ),
  `POST ${NATIVE}`,
  `GET ${NATIVE}/:timer_id`,
  `DELETE ${NATIVE}/:timer_id`,
  ...['GET', 'PUT', 'DELETE'].map((method) => `${method} ${NATIVE}/:groupId/:timerId`),
  `POST ${PLATFORM}`,
  `POST ${PLATFORM}/batch`,
  ...['GET', 'PUT', 'DELETE'].map((method) => `${method} ${PLATFORM}/:id`),
])

export function isEntryRoute({ method, routeOptions }: FastifyRequest): boolean {
  return routeOptions.url !== undefined && ENTRY_ROUTES.has(`${method} ${routeOptions.url}`)
}
