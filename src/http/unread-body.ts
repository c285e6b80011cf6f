// A refused body is still on its way. Closing the connection under it makes TCP reset it, and the client, busy
// sending, never reads why. So what is left is read and thrown away first, up to a limit.

import type { IncomingMessage } from 'node:http'

const DRAIN_BYTES_MAX = 64 * 1_024 * 1_024 // a client that sends even more has to live with the reset

/** Resolves at the end of the body, at the limit, or when the connection is gone; the server's request timeout bounds it in time. */
export function drain(request: IncomingMessage): Promise<void> {
  const announced = Number(request.headers['content-length'] ?? 0)
  if (request.readableEnded || request.destroyed || announced > DRAIN_BYTES_MAX) return Promise.resolve()
  return new Promise((resolve) => {
    let bytes = 0
    const stop = () => {
      request.off('data', count)
      resolve()
    }
    const count = (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > DRAIN_BYTES_MAX) stop()
    }
    request.on('data', count).once('end', stop).once('close', stop).resume()
  })
}
