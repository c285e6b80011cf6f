// A body that is refused for its size is still on its way. Closing the connection under it makes TCP reset it, and the
// client, busy sending, never reads why. So it is answered at once, and what still comes is read and thrown away, up to
// a limit.

import type { IncomingMessage } from 'node:http'

const DISCARDED_BYTES_MAX = 64 * 1_024 * 1_024 // a client that sends even more has to live with the reset

/** The server's request timeout bounds it in time. */
export function discardRest(request: IncomingMessage): void {
  let bytes = 0
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > DISCARDED_BYTES_MAX) request.destroy()
  })
}
