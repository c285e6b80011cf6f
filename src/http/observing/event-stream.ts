// One stream of server-sent events. Whoever reads too slowly loses events and is told how many; what waits for them in
// memory is bounded, and the service goes on as if they were not there.

import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Clock } from '../../runtime/clock/clock.ts'
import { ANSWER_HEADERS } from '../answer/answer-headers.ts'

const WAITING_BYTES_MAX = 64 * 1_024 // some seconds of a busy feed, beside what the sockets themselves hold

const LAST_WORDS_MS = 1_000 // for a reader to take what was sent before

export type EndReason = 'shutdown' | 'key' | 'time' | 'room'

export class EventStream {
  readonly #response: ServerResponse
  #skipped = 0

  /** Writes the head of the answer. `onClose` is called once, when the client is gone or the stream has ended. */
  constructor(
    response: ServerResponse,
    { headers, onClose }: { readonly headers: OutgoingHttpHeaders; readonly onClose: () => void },
  ) {
    this.#response = response
    response.once('close', onClose)
    // Without this, writing to a client that just left would be an error that nobody catches.
    response.on('error', () => {})
    response.writeHead(200, {
      ...ANSWER_HEADERS,
      ...headers,
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no', // nginx would gather the events otherwise
      connection: 'close', // nothing else is ever asked on it
    })
    response.flushHeaders()
  }

  /** `events` is how many the text has; `eventText` makes it. */
  send(text: string, events: number): void {
    if (this.#response.writableLength > WAITING_BYTES_MAX) {
      this.#skipped += events
      return
    }
    if (this.#skipped > 0) {
      this.#response.write(eventText('skipped', JSON.stringify({ events: this.#skipped })))
      this.#skipped = 0
    }
    this.#response.write(text)
  }

  /** So that proxies and clients know that the connection is alive. */
  ping(): void {
    if (this.#response.writableLength === 0) this.#response.write(': ping\n\n')
  }

  /** Who does not read what was sent before would keep the connection open, and the service from stopping: it is cut. */
  end(reason: EndReason, clock: Clock): void {
    const response = this.#response
    if (response.writableLength > WAITING_BYTES_MAX) return void response.destroy()
    const cancelCut = clock.after(LAST_WORDS_MS, () => response.destroy())
    response.once('close', cancelCut)
    response.end(eventText('end', JSON.stringify({ reason })))
  }
}

/** JSON has no line breaks, so one line of data will do. */
export function eventText(name: string, json: string): string {
  return `event: ${name}\ndata: ${json}\n\n`
}
