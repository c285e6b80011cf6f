// The operations of `platform`.

import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { BatchItems } from '../batch-items.ts'
import type { ContractParts } from '../contract.ts'
import { sendJson } from '../../answer/send-json.ts'
import { readIdempotencyKey } from '../../request/idempotency-key.ts'
import { readTraceparent } from '../../request/traceparent.ts'
import { wholePage } from '../../lists/whole-page.ts'
import { byUuid, cancelTimer, createTimer, updateTimer } from './actions.ts'
import { runBatch } from './batch.ts'
import { successJson } from './envelope.ts'
import { toPageQuery } from './list-query.ts'
import { toCreateCommand } from './mapping.ts'
import { OPERATIONS } from './operations.ts'
import { BATCH_ITEMS } from './schema.ts'
import { detailJson, summaryJson } from './timer-json.ts'

export const PREFIX = '/timers'

export function registerRoutes(instance: FastifyInstance, { payloadMaxBytes }: ContractParts): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.post(PREFIX, { schema: OPERATIONS.create }, async ({ body, headers, timers }, reply) => {
    const traceparent = readTraceparent(headers['traceparent'])
    const idempotencyKey = readIdempotencyKey(headers['idempotency-key'])
    const command = toCreateCommand(body, { timers, idempotencyKey, payloadMaxBytes, traceparent })
    return sendJson(reply.code(201), await createTimer(timers, command))
  })

  const batchItems = new BatchItems(instance, `${PREFIX}/batch`, BATCH_ITEMS)
  app.post(
    `${PREFIX}/batch`,
    { schema: OPERATIONS.batch, config: { batch: true } },
    async ({ body, headers, timers }, reply) => {
      const traceparent = readTraceparent(headers['traceparent'])
      const idempotencyKey = readIdempotencyKey(headers['idempotency-key'])
      return sendJson(
        reply,
        await runBatch(body.timers, { timers, batchItems, idempotencyKey, payloadMaxBytes, traceparent }),
      )
    },
  )

  app.get(PREFIX, { config: { list: true }, schema: OPERATIONS.list }, async ({ query: asked, timers }, reply) => {
    const query = toPageQuery(asked)
    const page = await wholePage(timers, query)
    const list = page.timers.map(summaryJson).join(',')
    const data = `{"timers":[${list}],"total":${page.total},"limit":${query.limit},"offset":${query.offset}}`
    return sendJson(reply, successJson('success', data))
  })

  app.get(`${PREFIX}/:id`, { schema: OPERATIONS.get }, async ({ params, timers }, reply) => {
    const timer = await byUuid(params.id, (key) => timers.get(key))
    return sendJson(reply, successJson('success', detailJson(timer)))
  })

  app.put(`${PREFIX}/:id`, { schema: OPERATIONS.update }, async ({ params, body, timers }, reply) => {
    return sendJson(reply, await updateTimer(timers, { id: params.id, body, payloadMaxBytes }))
  })

  app.delete(`${PREFIX}/:id`, { schema: OPERATIONS.cancel }, async ({ params, timers }, reply) => {
    return sendJson(reply, await cancelTimer(timers, params.id))
  })
}
