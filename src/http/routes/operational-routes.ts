// Routes for load balancers, monitoring and people: they belong to the service, not to a contract.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { assertAccess, EVERY_NAMESPACE, mayAccess, Permission } from '../../core/access/access.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import type { Config } from '../../runtime/config/config.ts'
import type { Logger } from '../../runtime/telemetry/logger.ts'
import { DocsPage } from '../docs/page.ts'
import { sendJson } from '../answer/send-json.ts'
import { healthOf } from './health.ts'
import { ALIVE, DOCUMENT, HEALTH, METRICS, READY } from './operational-docs.ts'
import { Readiness } from './readiness.ts'
import type { ReadyChecks } from './readiness.ts'

export type MetricsSource = { readonly contentType: string; render(): Promise<string> }

type OperationalParts = {
  readonly ready: ReadyChecks
  /** Parts without which requests are served all the same: they are shown, and nobody is sent elsewhere because of them. */
  readonly degradable?: ReadyChecks
  readonly metrics: MetricsSource
  readonly config: Pick<Config, 'allowAnonymous'>
  readonly clock: Clock
  readonly logger: Logger
}

export function registerOperationalRoutes(app: FastifyInstance, parts: OperationalParts): void {
  const { ready, degradable = {}, metrics, config, clock } = parts
  const open = { config: { open: true } }

  app.get('/livez', { ...open, schema: ALIVE }, (_request, reply) =>
    sendJson(reply.header('cache-control', 'no-store'), '{"status":"alive"}'),
  )

  app.get('/healthz', { ...open, schema: HEALTH }, async (_request, reply) => {
    const { status, body } = await healthOf(ready['store'], clock)
    return sendJson(reply.code(status).header('cache-control', 'no-store'), body)
  })

  const readiness = new Readiness(parts)
  app.get('/readyz', { ...open, schema: READY }, async (request, reply) => {
    // Who is let in without a key may be anyone, unless only this machine is.
    const reasons = !config.allowAnonymous && mayAccess(request.principal, Permission.read, EVERY_NAMESPACE)
    const check = (checks: ReadyChecks) => readiness.check(checks, { reasons })
    const [needed, others] = await Promise.all([check(ready), check(degradable)])
    const all = { ...needed, ...others }
    const isReady = areOk(needed)
    const status = isReady ? (areOk(all) ? 'ready' : 'degraded') : 'not ready'
    return sendJson(
      reply.code(isReady ? 200 : 503).header('cache-control', 'no-store'),
      JSON.stringify({ status, parts: all }),
    )
  })

  app.get('/metrics', { schema: METRICS }, async (request, reply) => {
    // They name all namespaces and tell how busy each is.
    assertAccess(request.principal, Permission.read, EVERY_NAMESPACE)
    const text = await metrics.render()
    return reply.header('content-type', metrics.contentType).send(text)
  })

  // Written once: it takes some milliseconds, and whoever comes may ask for it.
  let document: string | undefined
  app.get('/openapi.json', { ...open, schema: DOCUMENT }, async (_request, reply) =>
    sendJson(reply, (document ??= JSON.stringify(await app.openApi()))),
  )

  const page = new DocsPage(() => app.openApi())
  app.get('/docs', open, async (request, reply) =>
    reply.headers(page.headers).send(await page.html(addressOf(request))),
  )
}

const HOST = /^(?:[\w.-]+|\[[\da-f:]+\])(?::\d+)?$/i

/** Where the client has reached the service. A proxy in front passes the host on, and says if it was asked by HTTPS. */
function addressOf({ host, headers }: FastifyRequest): string | null {
  const scheme = headers['x-forwarded-proto'] === 'https' ? 'https' : 'http'
  return HOST.test(host) ? `${scheme}://${host}` : null
}

function areOk(parts: Readonly<Record<string, string>>): boolean {
  return Object.values(parts).every((part) => part === 'ok')
}
