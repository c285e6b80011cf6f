// `duetime dev`: the real service with a clock that can be moved, a receiver that shows what arrives, and a prompt. It
// listens on loopback, forgets everything when it stops unless told where to keep it, and reads no environment: what
// somebody has set for the service itself shall not surprise them here.

import { randomBytes } from 'node:crypto'
import { invalidInput } from '../../core/errors.ts'
import { systemClock } from '../../runtime/clock/clock.ts'
import { loadConfig } from '../../runtime/config/config.ts'
import { stopOnSignals } from '../../runtime/lifecycle.ts'
import { createLogger, partLogger } from '../../runtime/telemetry/logger.ts'
import { VirtualClock } from '../../runtime/clock/virtual-clock.ts'
import { startServer } from '../../server.ts'
import type { Terminal } from '../command/terminal.ts'
import { devBanner } from './dev-banner.ts'
import { clockRoutes } from './control-routes.ts'
import { DevClock } from './dev-clock.ts'
import { Prompt } from './prompt.ts'
import type { ListedTimer } from './prompt.ts'
import { receivedText } from './received-text.ts'
import { startSink } from './sink.ts'

export type DevOptions = {
  readonly port: string
  readonly sinkPort: string
  readonly database?: string
  readonly webhookSecret?: string
  readonly logLevel: string
  readonly interactive: boolean
}

/** Resolves when it has started; it runs until the process is told to stop. */
export async function runDev(options: DevOptions, terminal: Pick<Terminal, 'out' | 'paint'>): Promise<void> {
  const secret = options.webhookSecret ?? `whsec_${randomBytes(32).toString('base64')}`
  const config = loadConfig({ env: {}, flags: { ...flagsOf(options), 'webhook-secrets': secret } })
  const virtual = new VirtualClock({ runs: true })
  const clock = new DevClock(virtual)
  let prompt: Prompt | null = null
  const print = (text: string) => (prompt === null ? terminal.out(text) : prompt.print(text))

  const sinkPort = Number(options.sinkPort)
  const sink = await startSink({
    port: sinkPort,
    clock: virtual,
    secret,
    bodyMaxBytes: config.bodyMaxBytes,
    onReceived: (one) => print(receivedText(one, terminal.paint)),
  })
  const server = await startServer(config, virtual, { routes: clockRoutes(clock) }).catch(async (error: unknown) => {
    await sink.stop()
    throw error
  })
  virtual.follow(server)
  const stop = async () => {
    prompt?.close()
    await server.stop()
    await sink.stop()
  }
  const logger = partLogger(createLogger(config), 'process')
  stopOnSignals({ stop, logger, clock: systemClock, graceMs: config.shutdownGraceMs })
  terminal.out(
    devBanner({
      url: server.url,
      sinkUrl: sink.url,
      secret,
      database: config.database,
      interactive: options.interactive,
    }),
  )
  if (!options.interactive) return
  const list = (namespace: string) => listTimers(server.url, namespace)
  const onQuit = () => void stop().then(() => process.exit(0))
  prompt = new Prompt({
    input: process.stdin,
    output: process.stdout,
    paint: terminal.paint,
    clock,
    watch: systemClock,
    list,
    onQuit,
  })
  prompt.start()
}

function flagsOf({ port, database = 'memory:', logLevel }: DevOptions): Record<string, string> {
  const place = /^[a-z]{2,}:/i.test(database) ? { 'database-url': database } : { 'timer-db-path': database }
  return { port, host: '127.0.0.1', 'log-level': logLevel, 'log-format': 'pretty', ...place }
}

const LISTED_FIELDS = ['id', 'status', 'executeAt', 'nextAttemptAt', 'schedule'] satisfies (keyof ListedTimer)[]

async function listTimers(url: string, namespace: string): Promise<readonly ListedTimer[]> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${url}/api/v1/timers/list`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ namespace, limit: 20, fields: LISTED_FIELDS }),
  })
  const answer = (await response.json()) as { readonly timers?: readonly ListedTimer[]; readonly message?: string }
  if (answer.timers === undefined) throw invalidInput('namespace', answer.message ?? `HTTP ${response.status}`)
  return answer.timers
}
