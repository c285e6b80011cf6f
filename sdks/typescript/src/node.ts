// The handler for servers that speak in Node's request and response: node:http, Express, Fastify's raw ones. It is in an
// entry of its own because only they need it; the types are described, not imported, so it needs no @types/node.

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
