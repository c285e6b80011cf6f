// Receivers for servers of Node: node:http and Express, which have its request and response, and Fastify. They are in an entry
// of their own because only these need them; the types are described, not imported, so it needs no @types/node and no Fastify.

import { answerDelivery, bodyBytesMax, TOO_LARGE } from './receiving/handler.ts'
import type { FiringFunction, HandlerOptions } from './receiving/handler.ts'

type NodeRequest = AsyncIterable<unknown> & {
  readonly method?: string | undefined
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** What a body parser has left behind. */
  readonly body?: unknown
}
type NodeResponse = {
  statusCode: number
  setHeader(name: string, value: string): unknown
  end(text: string): unknown
}

/** `createServer(nodeHandler(async (firing) => { … }, { secret }))`, or `app.post('/hooks/timer', nodeHandler(…))`. */
export function nodeHandler<Payload = unknown>(
  run: FiringFunction<Payload>,
  options: HandlerOptions = {},
): (request: NodeRequest, response: NodeResponse) => void {
  return (request, response) => void answer(run as FiringFunction, options, request, response)
}

type FastifyRequest = {
  readonly body?: unknown
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}
type FastifyReply = {
  code(status: number): FastifyReply
  headers(headers: Readonly<Record<string, string>>): FastifyReply
  send(text: string): unknown
}
type FastifyScope = {
  removeAllContentTypeParsers(): void
  addContentTypeParser(
    type: string,
    options: { readonly parseAs: 'buffer'; readonly bodyLimit: number },
    parser: (request: unknown, body: Uint8Array, done: (error: null, body: Uint8Array) => void) => void,
  ): unknown
  post(path: string, handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>): unknown
}

/** `app.register(fastifyReceiver(async (firing) => { … }, { path: '/hooks/timer', secret }))`. */
export function fastifyReceiver<Payload = unknown>(
  run: FiringFunction<Payload>,
  { path, ...options }: HandlerOptions & { readonly path: string },
): (scope: FastifyScope) => Promise<void> {
  return async (scope) => {
    // Fastify would parse the body, and then the bytes that were signed are gone. What is set here holds for this plugin only.
    scope.removeAllContentTypeParsers()
    const bodyLimit = bodyBytesMax(options)
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, (_request, body, done) => done(null, body))
    scope.post(path, async ({ body, headers }, reply) => {
      const bytes = body instanceof Uint8Array ? body : ''
      const answered = await answerDelivery(run as FiringFunction, { body: bytes, headers }, options)
      return reply.code(answered.status).headers(answered.headers).send(answered.text)
    })
  }
}

/** Never throws: whatever goes wrong is an answer, or nobody is left to answer. */
async function answer(
  run: FiringFunction,
  options: HandlerOptions,
  request: NodeRequest,
  response: NodeResponse,
): Promise<void> {
  const body = request.method === 'POST' ? await bodyOf(request, options).catch(() => undefined) : null
  if (body === undefined) return // the sender went away before everything was there
  const { status, headers, text } = await answerDelivery(run, { body, headers: request.headers }, options)
  response.statusCode = status
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  response.end(text)
}

async function bodyOf(request: NodeRequest, options: HandlerOptions): Promise<Uint8Array | string | typeof TOO_LARGE> {
  const { body } = request
  if (typeof body === 'string' || body instanceof Uint8Array) return body
  if (body !== undefined && body !== null) {
    // Without the bytes that were signed nothing can be verified; an empty body fails that, as it should.
    return options.secret === undefined ? JSON.stringify(body) : ''
  }
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of request) {
    chunks.push(chunk as Uint8Array)
    bytes += (chunk as Uint8Array).length
    if (bytes > bodyBytesMax(options)) return TOO_LARGE
  }
  return joined(chunks)
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0))
  let offset = 0
  for (const chunk of chunks) {
    all.set(chunk, offset)
    offset += chunk.length
  }
  return all
}
