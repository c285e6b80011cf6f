// Sends a request that an entry thread cannot answer to the main thread's HTTP application, through a tunnel, and its
// answer back to the client. Both are passed on as they come, so that streams, large bodies and slow clients are what they
// would be without the tunnel.

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { askForBody } from '../../http/body/expect-continue.ts'
import { discardRest } from '../../http/body/unread-body.ts'
import { isEntryRoute } from '../../http/entry-routes.ts'
import { http } from '../../runtime/builtin-modules.ts'
import type { Tunnels } from '../channel/tunnel.ts'

/** About one connection, and not about the request. Trailers are not passed on, so neither is their announcement: Node refuses one without chunks. */
const OF_CONNECTION = new Set(['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'upgrade'])
const OF_ANSWERS_CONNECTION = new Set([...OF_CONNECTION, 'transfer-encoding'])
const KEEP_ALIVE_MS = 10_000

/** A hook that comes before all others: nothing has been read or judged, so nothing is judged twice. */
export function registerForwarding(app: FastifyInstance, tunnels: Tunnels): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (isEntryRoute(request)) return done()
    reply.hijack()
    forward(request.raw, reply.raw, tunnels)
  })
}

/** Streams of commands from other nodes. */
export function forwardUpgrades(server: Server, tunnels: Tunnels): void {
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    request.socket.setTimeout(0)
    request.socket.setNoDelay()
    request.socket.setKeepAlive(true, KEEP_ALIVE_MS)
    const tunnel = tunnels.open(request.socket.remoteAddress)
    socket.on('error', () => {}).on('close', () => tunnel.destroy())
    tunnel.on('close', () => socket.destroy())
    tunnel.write(`${request.method} ${request.url} HTTP/1.1\r\n${headerLines(request.rawHeaders)}\r\n`)
    if (head.length > 0) tunnel.write(head)
    socket.pipe(tunnel).pipe(socket)
  })
}

function forward(request: IncomingMessage, response: ServerResponse, tunnels: Tunnels): void {
  const passedOn = http.request({
    createConnection: () => tunnels.open(request.socket.remoteAddress),
    method: request.method,
    path: request.url,
    headers: headersWithout(OF_CONNECTION, request),
  })
  passedOn.on('response', (answer) => {
    response.writeHead(answer.statusCode!, answer.statusMessage, headersWithout(OF_ANSWERS_CONNECTION, answer))
    response.flushHeaders() // of a stream of events the head comes long before the first event
    answer.pipe(response)
    answer.on('error', () => response.destroy())
  })
  // Answered before all of its body was read, as one that is too large.
  passedOn.on('close', () => {
    request.unpipe(passedOn)
    discardRest(request)
    request.resume() // a pipe that has ended leaves it paused
  })
  passedOn.on('error', () => {
    if (!response.headersSent) response.destroy()
  })
  response.on('close', () => passedOn.destroy())
  const sendBody = () => {
    askForBody(request)
    request.pipe(passedOn)
  }
  if (request.headers.expect === undefined) return sendBody()
  passedOn.on('continue', sendBody)
  passedOn.flushHeaders()
}

/**
 * As they were sent, in their order. Whoever has sent none about a body has none, which has to be said between the threads. HTTP/1.0
 * does without a host, which is not said by saying nothing.
 */
function headersWithout(unwanted: ReadonlySet<string>, { rawHeaders, headers, method }: IncomingMessage): string[] {
  const kept: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (!unwanted.has(rawHeaders[index]!.toLowerCase())) kept.push(rawHeaders[index]!, rawHeaders[index + 1]!)
  const isRequest = method !== null && method !== undefined
  if (isRequest && headers['content-length'] === undefined && headers['transfer-encoding'] === undefined)
    kept.push('content-length', '0')
  if (isRequest && headers.host === undefined) kept.push('host', '')
  return kept
}

function headerLines(rawHeaders: readonly string[]): string {
  let lines = ''
  for (let index = 0; index < rawHeaders.length; index += 2)
    lines += `${rawHeaders[index]}: ${rawHeaders[index + 1]}\r\n`
  return lines
}
