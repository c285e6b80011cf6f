// A look into the body of a request that is refused: on a path that two contracts share, only the body tells in whose
// words the refusal should be. The names at its top level are enough, so neither has it to be JSON as a whole nor need
// all of it have arrived. Of a body that was not read only the beginning is, since whoever is asking has shown no right
// to more.

import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { Clock } from '../../runtime/clock/clock.ts'
import { topLevelKeys } from './json-guards.ts'

const PEEK_BYTES = 16 * 1_024 // an honest create is smaller
const PEEK_MS_MAX = 1_000 // a client that waits for leave to send its body gets its answer then

/** What was read of bodies that were refused. */
const kept = new WeakMap<FastifyRequest, Buffer>()

export function keepForPeeking(request: FastifyRequest, body: Buffer): void {
  if (isShared(request)) kept.set(request, body)
}

/** The body; of one that was refused, an object with the names at its top level; undefined where they do not matter. */
export async function peekBody(request: FastifyRequest, clock: Clock): Promise<unknown> {
  if (request.body !== undefined || !isShared(request)) return request.body
  return topLevelKeys(kept.get(request) ?? (await firstBytes(request.raw, clock)))
}

function isShared(request: FastifyRequest): boolean {
  return request.routeOptions.config?.sharedByBody === true
}

/** What is left is thrown away by Node once the answer is out. */
function firstBytes(request: IncomingMessage, clock: Clock): Promise<Buffer> {
  if (request.readableEnded || request.destroyed) return Promise.resolve(Buffer.alloc(0))
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const end = () => {
      cancel()
      request.off('data', take).off('end', end).off('close', end)
      resolve(Buffer.concat(chunks))
    }
    const take = (chunk: Buffer) => {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes >= PEEK_BYTES) end()
    }
    const cancel = clock.after(PEEK_MS_MAX, end)
    request.on('data', take).once('end', end).once('close', end).resume()
  })
}
