// The five operations of `platform`.

import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { DuetimeError, ErrorCode } from '../../../core/errors.ts'
import type { TimerIdentity } from '../../../core/ids.ts'
import type { Status } from '../../../core/timer.ts'
import type { ContractParts } from '../../contract.ts'
import { JSON_TYPE } from '../../error-answers.ts'
import { readTraceparent } from '../../traceparent.ts'
import { successJson } from './envelope.ts'
import { toPageQuery } from './list-query.ts'
import { MIN_LEAD_MS, readIdentity, toChanges, toCreateCommand } from './mapping.ts'
import { OPERATIONS } from './operations.ts'
import { canceledJson, detailJson, statusOf, summaryJson, updatedJson } from './timer-json.ts'

export const PREFIX = '/timers'

export function registerRoutes(instance: FastifyInstance, { payloadMaxBytes }: ContractParts): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.post(PREFIX, { schema: OPERATIONS.create }, async ({ body, headers, timers }, reply) => {
    const traceparent = readTraceparent(headers['traceparent'])
    const { timer } = await timers.execute(toCreateCommand(body, { timers, payloadMaxBytes, traceparent }))
    return send(reply.code(201), 'timer created successfully', summaryJson(timer))
  })

  app.get(PREFIX, { schema: OPERATIONS.list }, async ({ query: asked, timers }, reply) => {
    const query = toPageQuery(asked)
    const page = await timers.page(query)
    const list = page.timers.map(summaryJson).join(',')
    return send(reply, 'success', `{"timers":[${list}],"total":${page.total},"limit":${query.limit},"offset":${query.offset}}`)
  })

  app.get(`${PREFIX}/:id`, { schema: OPERATIONS.get }, async ({ params, timers }, reply) => {
    const timer = await byUuid(params.id, (key) => timers.get(key))
    return send(reply, 'success', detailJson(timer))
  })

  app.put(`${PREFIX}/:id`, { schema: OPERATIONS.update }, async ({ params, body, timers }, reply) => {
    const change = { type: 'update', changes: toChanges(body, { payloadMaxBytes }), ifVersion: null, minLeadMs: MIN_LEAD_MS } as const
    const { timer } = await inTime('update', byUuid(params.id, (key) => timers.execute({ ...change, ...key })))
    return send(reply, 'timer updated successfully', updatedJson(timer))
  })

  app.delete(`${PREFIX}/:id`, { schema: OPERATIONS.cancel }, async ({ params, timers }, reply) => {
    const { timer } = await inTime('cancel', byUuid(params.id, (key) => timers.execute({ type: 'cancel', ...key, ifVersion: null })))
    return send(reply, 'timer canceled successfully', canceledJson(timer))
  })
}

/** Case does not matter in a UUID, and those made here are in lower case; an id that another contract gave may not be. */
async function byUuid<T>(id: string, act: (key: TimerIdentity) => Promise<T>): Promise<T> {
  const [asGiven, inLowerCase] = [readIdentity(id), readIdentity(id.toLowerCase())]
  try {
    return await act(asGiven)
  } catch (error) {
    const isOtherCase = error instanceof DuetimeError && error.code === ErrorCode.timerNotFound && asGiven.id !== inLowerCase.id
    if (isOtherCase) return act(inLowerCase)
    throw error
  }
}

/** Puts a refusal that came too late into this contract's words. */
async function inTime<T>(verb: 'update' | 'cancel', executed: Promise<T>): Promise<T> {
  try {
    return await executed
  } catch (error) {
    if (!(error instanceof DuetimeError) || error.code !== ErrorCode.timerNotPending) throw error
    const status = statusOf({ status: error.details['status'] as Status })
    throw new DuetimeError(error.code, `cannot ${verb} timer with status '${status}'`, error.details, { cause: error })
  }
}

function send(reply: FastifyReply, message: string, data: string): FastifyReply {
  return reply.header('content-type', JSON_TYPE).send(successJson(message, data))
}
