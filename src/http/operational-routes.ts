// Routes for load balancers, monitoring and people: they belong to the service, not to a contract.

import type { FastifyInstance } from 'fastify'
import { VERSION } from '../runtime/version.ts'
import type { Logger } from '../runtime/logger.ts'
import { DocsPage } from './docs/page.ts'
import { JSON_TYPE } from './error-answers.ts'

/** Each part by its name; a check throws or rejects with the reason when the part cannot do its work. */
export type ReadyChecks = Readonly<Record<string, () => void | Promise<void>>>

export type MetricsSource = { readonly contentType: string; render(): Promise<string> }

type OperationalParts = { readonly ready: ReadyChecks; readonly metrics: MetricsSource; readonly logger: Logger }

const HEALTHY = JSON.stringify({ status: 'ok', version: VERSION })

export function registerOperationalRoutes(app: FastifyInstance, { ready, metrics, logger }: OperationalParts): void {
  const tags = ['operation']

  const healthSchema = { tags, summary: 'Is the process up?', description: 'Asks nothing else: use it to decide about a restart.' }
  app.get('/healthz', { schema: healthSchema }, (_request, reply) => reply.header('content-type', JSON_TYPE).send(HEALTHY))

  const readySchema = { tags, summary: 'Can it take requests?', description: '503 while a part cannot do its work; the answer names it.' }
  app.get('/readyz', { schema: readySchema }, async (_request, reply) => {
    const parts = await checkParts(ready, logger)
    const isReady = Object.values(parts).every((part) => part === 'ok')
    return reply
      .code(isReady ? 200 : 503)
      .headers({ 'content-type': JSON_TYPE, 'cache-control': 'no-store' })
      .send(JSON.stringify({ status: isReady ? 'ready' : 'not ready', parts }))
  })

  app.get('/metrics', { schema: { tags, summary: 'Metrics in the Prometheus text format' } }, async (_request, reply) => {
    const text = await metrics.render()
    return reply.header('content-type', metrics.contentType).send(text)
  })

  app.get('/openapi.json', { schema: { tags, summary: 'This document' } }, (_request, reply) =>
    reply.header('content-type', JSON_TYPE).send(JSON.stringify(app.swagger())),
  )

  const page = new DocsPage(() => app.swagger())
  app.get('/docs', (_request, reply) => reply.headers(page.headers).send(page.html()))
  app.get('/', (_request, reply) => reply.redirect('/docs'))
}

async function checkParts(checks: ReadyChecks, logger: Logger): Promise<Record<string, string>> {
  const names = Object.keys(checks)
  // Within an async function, a check that throws is a check that rejects.
  const settled = await Promise.allSettled(names.map(async (name) => checks[name]!()))
  return Object.fromEntries(
    settled.map((result, index) => {
      const name = names[index]!
      if (result.status === 'fulfilled') return [name, 'ok']
      logger.warn({ check: name, err: result.reason }, 'not ready')
      return [name, result.reason instanceof Error ? result.reason.message : 'failed']
    }),
  )
}
