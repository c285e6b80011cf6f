// Recognises the one failure that is nobody's fault: we reused an idle connection at the moment the receiver
// closed it. Waiting out a retry interval for that would make a timer half a minute late (or fail it, when it has
// a single attempt), so the target sends the request again at once, a single time.
//
// Is that safe? In theory the receiver may have taken the request, acted on it, and died before its first byte of
// an answer; from here the two look the same. Sending again is what the retry policy would do anyway, with the
// same delivery id in `webhook-id` and `Idempotency-Key`, so at-least-once holds and a receiver that deduplicates
// sees one delivery. To keep the doubtful case rare, all of this must be true: the connection had served an
// earlier request, not one byte of this answer arrived, and it broke within STALE_WITHIN_MS of sending, as a close
// that crossed our request does: it takes one round trip.

import type { buildConnector } from 'undici'

export const STALE_WITHIN_MS = 1_000

const BROKEN_CONNECTION: ReadonlySet<unknown> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])

export class ConnectionHistory {
  /** The errors of connections that had answered before. An error is all that the sender gets to see of a connection. */
  readonly #afterReuse = new WeakSet<Error>()

  /** Must be around every connector whose errors are to be recognised. */
  watch(connect: buildConnector.connector): buildConnector.connector {
    return (options, callback) =>
      connect(options, (...[error, socket]) => {
        if (error) return callback(error, null)
        const bytesOfHandshake = socket.bytesRead
        socket.on('error', (failure) => {
          if (socket.bytesRead > bytesOfHandshake) this.#afterReuse.add(failure)
        })
        callback(null, socket)
      })
  }

  brokeAfterReuse(error: Error): boolean {
    return BROKEN_CONNECTION.has((error as { code?: unknown }).code) && this.#afterReuse.has(error)
  }
}
