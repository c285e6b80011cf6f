// The four operations of `groups`. A canceled timer is gone here: it cannot be read, changed or canceled again.

import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { timerNotFound } from '../../../core/rules/decide.ts'
import { DuetimeError, ErrorCode } from '../../../core/errors.ts'
import type { TimerIdentity } from '../../../core/timer/ids.ts'
import { Status } from '../../../core/timer/timer.ts'
import type { ContractParts } from '../contract.ts'
import { sendJson } from '../../answer/send-json.ts'
import { timerJson } from '../../../language/timer-json.ts'
import { readTraceparent } from '../../request/traceparent.ts'
import { toChanges, toCreateCommand, toIdentity } from './mapping.ts'
import { OPERATIONS } from './operations.ts'

export const PREFIX = '/api/v1/timers'
const ONE_TIMER = `${PREFIX}/:groupId/:timerId`

export function registerRoutes(instance: FastifyInstance, { payloadMaxBytes, shared }: ContractParts): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  shared.add({
    method: 'POST',
    url: PREFIX,
    speaks: null,
    schema: OPERATIONS.create,
    handler: async ({ body, headers, timers }, reply) => {
      const traceparent = readTraceparent(headers['traceparent'])
      const { timer } = await timers.execute(toCreateCommand(body, { payloadMaxBytes, traceparent }))
      return sendJson(reply, timerJson(timer))
    },
  })

  app.get(ONE_TIMER, { schema: OPERATIONS.get }, async ({ params, timers }, reply) => {
    const key = toIdentity(params)
    const timer = await timers.get(key)
    if (timer.status === Status.canceled) throw timerNotFound(key)
    return sendJson(reply, timerJson(timer))
  })

  app.put(ONE_TIMER, { schema: OPERATIONS.update }, async ({ params, body, timers }, reply) => {
    const key = toIdentity(params)
    const changes = toChanges(body, { payloadMaxBytes })
    const { timer } = await unlessCanceled(
      key,
      timers.execute({ type: 'update', ...key, changes, ifVersion: null, minLeadMs: 0 }),
    )
    return sendJson(reply, timerJson(timer))
  })

  app.delete(ONE_TIMER, { schema: OPERATIONS.delete }, async ({ params, timers }, reply) => {
    const key = toIdentity(params)
    await unlessCanceled(key, timers.execute({ type: 'cancel', ...key, ifVersion: null }))
    return reply.code(204).send()
  })
}

async function unlessCanceled<T>(key: TimerIdentity, executed: Promise<T>): Promise<T> {
  try {
    return await executed
  } catch (error) {
    const isGone =
      error instanceof DuetimeError &&
      error.code === ErrorCode.timerNotPending &&
      error.details['status'] === Status.canceled
    throw isGone ? timerNotFound(key) : error
  }
}
