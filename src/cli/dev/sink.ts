// A receiver to try timers with: it takes what a delivery sends, on any path, tells about it, and answers as the URL asks
// for. Anything else is refused unread: any page in a browser of this machine can send to it.
//
//   /hook                          200 {"ok":true}
//   /hook?status=503&delay=2s      that status, after that while
//   /hook?reschedule=1h            200, asking to be called again in an hour

import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { addDuration, parseIsoDuration } from '../../core/time/duration.ts'
import { isoDurationText } from '../../core/time/plain-duration.ts'
import type { Millis } from '../../core/timer/timer.ts'
import { http } from '../../runtime/builtin-modules.ts'
import { sleep } from '../../runtime/clock/clock.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import { createSigner } from '../../targets/http/signature.ts'
import { UsageError } from '../command/usage-error.ts'

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
  readonly bodyMaxBytes: number
  readonly onReceived: (received: Received) => void
}

const HOST = '127.0.0.1'

export async function startSink(options: SinkOptions): Promise<Sink> {
  const sign = createSigner([options.secret])!
  const server = http.createServer((request, response) => {
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

async function receive(
  request: IncomingMessage,
  response: ServerResponse,
  options: SinkOptions,
  sign: Sign,
): Promise<void> {
  const { clock, onReceived } = options
  const refusal = refusalOf(request, options)
  if (refusal !== null) return refuse(response, refusal)
  const body = await readBody(request, options.bodyMaxBytes)
  if (body === null) return refuse(response, tooLarge(options))
  const at = clock.now()
  const path = request.url ?? '/'
  const wish = wishOf(path, at)
  if ('error' in wish) {
    response
      .writeHead(400, { 'content-type': 'application/json' })
      .end(JSON.stringify({ ok: false, error: wish.error }))
    return onReceived({
      at,
      method: request.method ?? '',
      path,
      headers: request.headers,
      body,
      signature: 'missing',
      status: 400,
    })
  }
  const signature = signatureOf(request.headers, body, sign)
  onReceived({ at, method: request.method ?? '', path, headers: request.headers, body, signature, status: wish.status })
  if (wish.delayMs > 0) await sleep(clock, wish.delayMs)
  response.writeHead(wish.status, { 'content-type': 'application/json' }).end(wish.answer)
}

type Refusal = { readonly status: number; readonly error: string }

/** A page of another site can send neither JSON nor such a header without being let, and it is not. A timer may choose another type. */
function refusalOf({ method, headers }: IncomingMessage, options: SinkOptions): Refusal | null {
  if (method !== 'POST') return { status: 405, error: 'deliveries are sent with POST' }
  const isJson = /^application\/json(?:;|$)/i.test(headers['content-type'] ?? '')
  if (!isJson && headers['webhook-id'] === undefined) return { status: 415, error: 'deliveries are application/json' }
  return Number(headers['content-length'] ?? 0) > options.bodyMaxBytes ? tooLarge(options) : null
}

function tooLarge({ bodyMaxBytes }: SinkOptions): Refusal {
  return { status: 413, error: `a delivery has at most ${bodyMaxBytes} bytes here` }
}

function refuse(response: ServerResponse, { status, error }: Refusal): void {
  const headers = { 'content-type': 'application/json', connection: 'close', ...(status === 405 && { allow: 'POST' }) }
  response.writeHead(status, headers).end(JSON.stringify({ ok: false, error }))
}

/** Null when there is more than that. */
async function readBody(request: IncomingMessage, maxBytes: number): Promise<string | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

type Wish = { readonly status: number; readonly delayMs: Millis; readonly answer: string } | { readonly error: string }

/** What the URL asks the sink to answer. */
function wishOf(path: string, now: Millis): Wish {
  const query = URL.parse(path, 'http://sink')?.searchParams
  if (query === undefined) return { error: 'the path is not a valid URL path' }
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
