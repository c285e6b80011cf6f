// A receiver to try timers with: it takes whatever comes, on any path, tells about it, and answers as the URL asks for:
//   /hook                          200 {"ok":true}
//   /hook?status=503&delay=2s      that status, after that while
//   /hook?reschedule=1h            200, asking to be called again in an hour

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { addDuration, parseIsoDuration } from '../../core/duration.ts'
import { isoDurationText } from '../../core/plain-duration.ts'
import type { Millis } from '../../core/timer.ts'
import { sleep } from '../../runtime/clock.ts'
import type { Clock } from '../../runtime/clock.ts'
import { createSigner } from '../../targets/http/signature.ts'
import { UsageError } from '../usage-error.ts'

export type Received = {
  /** On the service's clock. */
  readonly at: Millis
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
  readonly signature: 'verified' | 'wrong' | 'missing'
  /** What it is answered with. */
  readonly status: number
}

export type Sink = { readonly url: string; stop(): Promise<void> }

export type SinkOptions = {
  readonly port: number
  readonly clock: Clock
  readonly secret: string
  readonly onReceived: (received: Received) => void
}

const HOST = '127.0.0.1'

export async function startSink(options: SinkOptions): Promise<Sink> {
  const sign = createSigner([options.secret])!
  const server = createServer((request, response) => {
    receive(request, response, options, sign).catch((error: unknown) => response.destroy(error as Error))
  })
  server.listen(options.port, HOST)
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error
    const taken = `Something listens on port ${options.port} already, where callbacks shall arrive.`
    throw new UsageError(`${taken} Choose another: duetime dev --sink-port 9091`)
  })
  const stop = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { url: `http://${HOST}:${(server.address() as AddressInfo).port}`, stop }
}

type Sign = NonNullable<ReturnType<typeof createSigner>>

async function receive(request: IncomingMessage, response: ServerResponse, options: SinkOptions, sign: Sign): Promise<void> {
  const { clock, onReceived } = options
  const body = await text(request)
  const at = clock.now()
  const path = request.url ?? '/'
  const wish = wishOf(path, at)
  if ('error' in wish) {
    response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ ok: false, error: wish.error }))
    return onReceived({ at, method: request.method ?? '', path, headers: request.headers, body, signature: 'missing', status: 400 })
  }
  const signature = signatureOf(request.headers, body, sign)
  onReceived({ at, method: request.method ?? '', path, headers: request.headers, body, signature, status: wish.status })
  if (wish.delayMs > 0) await sleep(clock, wish.delayMs)
  response.writeHead(wish.status, { 'content-type': 'application/json' }).end(wish.answer)
}

type Wish = { readonly status: number; readonly delayMs: Millis; readonly answer: string } | { readonly error: string }

/** What the URL asks the sink to answer. */
function wishOf(path: string, now: Millis): Wish {
  const query = new URL(path, 'http://sink').searchParams
  const status = Number(query.get('status') ?? 200)
  if (!Number.isInteger(status) || status < 200 || status > 599) return { error: 'status must be 200 to 599' }
  try {
    const delayMs = lengthOf(query.get('delay'), now)
    const rescheduleMs = lengthOf(query.get('reschedule'), now)
    const isOk = status < 300 && rescheduleMs === 0
    const next = rescheduleMs === 0 ? {} : { nextExecuteAt: new Date(now + rescheduleMs).toISOString() }
    return { status, delayMs, answer: JSON.stringify({ ok: isOk, ...next }) }
  } catch (error) {
    return { error: (error as Error).message }
  }
}

function lengthOf(length: string | null, now: Millis): Millis {
  return length === null ? 0 : addDuration(now, parseIsoDuration(isoDurationText(length)), 1, null) - now
}

/** As a receiver checks it, without the age: the clock may be days ahead of everybody else's. */
function signatureOf(headers: IncomingMessage['headers'], body: string, sign: Sign): Received['signature'] {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': given } = headers
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof given !== 'string') return 'missing'
  return given.split(' ').includes(sign({ id, timestamp, body })) ? 'verified' : 'wrong'
}
