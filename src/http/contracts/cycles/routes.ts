// The five operations of `cycles`.

import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { DuetimeError, ErrorCode } from '../../../core/errors.ts'
import type { TimerIdentity } from '../../../core/timer/ids.ts'
import { Status } from '../../../core/timer/timer.ts'
import type { Millis, Timer } from '../../../core/timer/timer.ts'
import type { ContractParts } from '../contract.ts'
import { sendJson } from '../../answer/send-json.ts'
import { isoText } from '../../../core/time/iso-text.ts'
import { sendList } from '../../lists/list-answer.ts'
import { readTraceparent } from '../../request/traceparent.ts'
import { wholePage } from '../../lists/whole-page.ts'
import { around, successJson } from './answers/envelope.ts'
import { accuracyOf, historyOf } from './answers/history.ts'
import { toPageQuery } from './list-query.ts'
import type { AskedPage } from './list-query.ts'
import { readTenant, STATISTICS_SEGMENT, toCreateCommand, toIdentity } from './mapping.ts'
import { OPERATIONS } from './operations.ts'
import { PERIOD_MS, statisticsJson, summaryJson } from './answers/stats-json.ts'
import { placeOf, remainingMs, timerFields, timerJson } from './answers/timer-json.ts'

export const PREFIX = '/api/v1/timers'
const ESTIMATED_ACCURACY_MS = 1 // whatever the level: the last second's timers are fired to the millisecond

export function speaksCycles(body: unknown): boolean {
  return typeof body === 'object' && body !== null && ('timer_id' in body || 'duration_or_cycle' in body)
}

export function registerRoutes(instance: FastifyInstance, { clock, callbackBaseUrl, shared }: ContractParts): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  shared.add({
    method: 'POST',
    url: PREFIX,
    speaks: speaksCycles,
    schema: OPERATIONS.create,
    handler: async (request, reply) => {
      const traceparent = readTraceparent(request.headers['traceparent'])
      const { timer, changed } = await request.timers.execute(
        toCreateCommand(request.body, { callbackBaseUrl, traceparent }),
      )
      return changed
        ? send(request, reply.code(201), timerJson(timer, timer.createdAt))
        : send(request, reply, timerJson(timer, clock.now()))
    },
  })

  app.get(PREFIX, { config: { list: true }, schema: OPERATIONS.list }, async (request, reply) => {
    const asked = toPageQuery(request.query)
    const { namespace } = asked.query.filter
    const [page, { counts }] = await Promise.all([
      wholePage(request.timers, asked.query),
      request.timers.stats(namespace === undefined ? {} : { namespace }),
    ])
    const now = clock.now()
    const [before, after] = around(request.id)
    return sendList(reply, {
      before: `${before}{"timers":[`,
      items: page.timers,
      json: (timer) => timerJson(timer, now),
      after: () => `],"pagination":${paginationJson(asked, page.total)},"summary":${summaryJson(counts)}}${after}`,
    })
  })

  // A fixed path comes before one with a parameter: a timer that another contract gave this id can be listed and deleted, not read alone.
  app.get(`${PREFIX}/${STATISTICS_SEGMENT}`, { schema: OPERATIONS.stats }, async (request, reply) => {
    const { period = '24h', tenant_id } = request.query
    const namespace = readTenant(tenant_id)
    const statistics = await request.timers.statistics({
      ...(namespace === undefined ? {} : { namespace }),
      periodMs: PERIOD_MS[period],
    })
    return send(request, reply, statisticsJson(period, statistics))
  })

  app.get(`${PREFIX}/:timer_id`, { schema: OPERATIONS.get }, async (request, reply) => {
    const timer = await request.timers.get(toIdentity(request.params, request.query))
    return send(request, reply, detailJson(timer, clock.now()))
  })

  app.delete(`${PREFIX}/:timer_id`, { schema: OPERATIONS.delete }, async (request, reply) => {
    const key = toIdentity(request.params, request.query)
    const { timer, previous } = await inTime(key, request.timers.execute({ type: 'cancel', ...key, ifVersion: null }))
    return send(request, reply, canceledJson({ timer, previous: previous ?? timer, by: request.principal.name }))
  })
}

function paginationJson({ page, pageSize }: AskedPage, total: number): string {
  const pages = Math.ceil(total / pageSize)
  return JSON.stringify({
    page,
    page_size: pageSize,
    total_count: total,
    total_pages: pages,
    has_next: page < pages,
    has_prev: page > 1 && pages > 0,
  })
}

function detailJson(timer: Timer, now: Millis): string {
  const place = placeOf(timer, now)
  const wheel =
    place === null
      ? null
      : { level: place.level, slot_position: place.slot, estimated_accuracy_ms: ESTIMATED_ACCURACY_MS }
  const history = JSON.stringify(historyOf(timer))
  return `{${timerFields(timer, now)},"accuracy_ms":${accuracyOf(timer)},"execution_history":${history},"timewheel_info":${JSON.stringify(wheel)}}`
}

function canceledJson({
  timer,
  previous,
  by,
}: {
  readonly timer: Timer
  readonly previous: Timer
  readonly by: string
}): string {
  const canceledAt = timer.finishedAt!
  const place = placeOf(previous, canceledAt)
  return JSON.stringify({
    timer_id: timer.id,
    status: 'CANCELLED',
    cancelled_at: isoText(canceledAt),
    cancelled_by: by,
    was_active: previous.status === Status.pending,
    remaining_time_ms: remainingMs(previous, canceledAt),
    cleanup_info: {
      timewheel_level: place?.level ?? null,
      slot_cleared: place !== null,
      callback_cancelled: timer.target.type !== 'none',
    },
  })
}

/** The answer to a change that came too late names the timer. */
async function inTime<T>({ id }: TimerIdentity, executed: Promise<T>): Promise<T> {
  try {
    return await executed
  } catch (error) {
    if (!(error instanceof DuetimeError) || error.code !== ErrorCode.timerNotPending) throw error
    throw new DuetimeError(error.code, error.message, { ...error.details, id })
  }
}

function send(request: FastifyRequest, reply: FastifyReply, data: string): FastifyReply {
  return sendJson(reply, successJson(data, request.id))
}
