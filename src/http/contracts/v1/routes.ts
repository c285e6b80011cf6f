// The operations of `v1`: a POST for each verb. A handler reads the body into what the service understands and writes
// what comes back; the rest is below.

import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { OnConflict } from '../../../core/rules/command.ts'
import { invalidInput } from '../../../core/errors.ts'
import type { BulkResult } from '../../../service/bulk-command.ts'
import { BatchItems } from '../batch-items.ts'
import type { ContractParts } from '../contract.ts'
import { sendJson } from '../../answer/send-json.ts'
import { readIdempotencyKey } from '../../request/idempotency-key.ts'
import { answerLimit, sendList } from '../../lists/list-answer.ts'
import { timerJson } from '../../../language/timer-json.ts'
import { prefersMinimal } from '../../request/prefer.ts'
import { readTraceparent } from '../../request/traceparent.ts'
import { runBatch } from './batch.ts'
import { bulkFilter } from './filter.ts'
import { list } from './list.ts'
import { toCreateCommand, toDeleteCommand, toIdentity, toPauseCommand, toUpdateCommand } from './mapping.ts'
import { operation } from './operations.ts'
import { preview } from './preview.ts'
import {
  BATCH_ITEMS,
  BatchBody,
  CancelBody,
  CreateBody,
  DeleteBody,
  GetBody,
  ListBody,
  NameBody,
  PauseBody,
  PreviewBody,
  RetryBody,
  UpdateBody,
} from './schema.ts'

export const PREFIX = '/api/v1/timers'

export function registerRoutes(instance: FastifyInstance, { payloadMaxBytes, direct }: ContractParts): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  direct.add(instance, {
    url: `${PREFIX}/create`,
    schema: operation('create', CreateBody),
    async answer({ body, headers, timers }) {
      const traceparent = readTraceparent(headers['traceparent'])
      const idempotencyKey = readIdempotencyKey(headers['idempotency-key'])
      const context = { timers, idempotencyKey, payloadMaxBytes, traceparent, onConflict: OnConflict.replace }
      const { timer } = await timers.execute(toCreateCommand(body, context))
      return timerJson(timer)
    },
  })

  app.post(`${PREFIX}/get`, { schema: operation('get', GetBody) }, async ({ body, timers }, reply) => {
    const secrets = body.includeSecrets === true
    return sendJson(reply, timerJson(await timers.get(toIdentity(body), { secrets }), { secrets }))
  })

  app.post(`${PREFIX}/update`, { schema: operation('update', UpdateBody) }, async ({ body, timers }, reply) => {
    const { timer } = await timers.execute(toUpdateCommand(body, { payloadMaxBytes }))
    return sendJson(reply, timerJson(timer))
  })

  app.post(`${PREFIX}/delete`, { schema: operation('delete', DeleteBody) }, async ({ body, timers }, reply) => {
    await timers.execute(toDeleteCommand(body))
    return reply.code(204).send()
  })

  app.post(`${PREFIX}/pause`, { schema: operation('pause', PauseBody) }, async ({ body, timers }, reply) => {
    const { timer } = await timers.execute(toPauseCommand(body))
    return sendJson(reply, timerJson(timer))
  })

  for (const type of ['trigger', 'resume'] as const) {
    app.post(`${PREFIX}/${type}`, { schema: operation(type, NameBody) }, async ({ body, timers }, reply) => {
      const { timer } = await timers.execute({ type, ...toIdentity(body) })
      return sendJson(reply, timerJson(timer))
    })
  }

  app.post(
    `${PREFIX}/list`,
    { config: { list: true }, schema: operation('list', ListBody) },
    async ({ body, headers, timers }, reply) => {
      return sendList(reply, { ...(await list(body, timers)), ...answerLimit(headers) })
    },
  )

  app.post(`${PREFIX}/cancel`, { schema: operation('cancel', CancelBody) }, async ({ body, timers }, reply) => {
    const filter = bulkFilter(body, ['namespace', 'metadataKey', 'dueFrom', 'dueTo'])
    const result = await timers.cancelMany(filter, { dryRun: body.dryRun === true })
    return sendJson(reply, bulkJson(result, 'canceled'))
  })

  app.post(`${PREFIX}/retry`, { schema: operation('retry', RetryBody) }, async ({ body, timers }, reply) => {
    const { timerId, ...others } = body
    if (timerId === undefined) {
      const result = await timers.retryMany(bulkFilter(body, []), { dryRun: body.dryRun === true })
      return sendJson(reply, bulkJson(result, 'retried'))
    }
    const surplus = Object.keys(others).find((field) => field !== 'namespace')
    if (surplus !== undefined)
      throw invalidInput(surplus, `${surplus} is for many timers: give it with all: true and without timerId`)
    const { timer } = await timers.execute({ type: 'retry', ...toIdentity({ ...others, timerId }) })
    return sendJson(reply, timerJson(timer))
  })

  app.post(`${PREFIX}/preview`, { schema: operation('preview', PreviewBody) }, async ({ body, timers }, reply) => {
    return sendJson(reply, JSON.stringify(await preview(body, timers)))
  })

  const batchItems = new BatchItems(instance, `${PREFIX}/batch`, BATCH_ITEMS)
  direct.add(instance, {
    url: `${PREFIX}/batch`,
    schema: operation('batch', BatchBody),
    batch: true,
    async answer({ body, headers, timers }) {
      const traceparent = readTraceparent(headers['traceparent'])
      const idempotencyKey = readIdempotencyKey(headers['idempotency-key'])
      const onConflict = body.onConflict ?? OnConflict.replace
      const isMinimal = prefersMinimal(headers['prefer'])
      const context = { timers, batchItems, idempotencyKey, payloadMaxBytes, traceparent, onConflict, isMinimal }
      return runBatch(body.timers, context)
    },
  })
}

function bulkJson({ matched, changed, tooLate, more }: BulkResult, changedName: 'canceled' | 'retried'): string {
  return JSON.stringify({ matched, [changedName]: changed, tooLate, more })
}
