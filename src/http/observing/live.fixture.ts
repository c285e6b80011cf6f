// A reader of the live stream, for tests: events in order, one at a time.

import type { TestContext } from 'node:test'

export type LiveEvent = { readonly name: string; readonly data: Record<string, unknown> }

export class LiveReader {
  readonly status: number
  readonly headers: Headers
  readonly #reader: ReadableStreamDefaultReader<string>
  #text = ''

  constructor(response: Response) {
    this.status = response.status
    this.headers = response.headers
    this.#reader = response
      .body!.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
      .getReader()
  }

  static async open(t: TestContext, url: string, headers: Record<string, string> = {}): Promise<LiveReader> {
    const leave = new AbortController()
    t.after(() => leave.abort())
    return new LiveReader(await fetch(url, { headers, signal: leave.signal }))
  }

  /** The next event, of this name if one is given; null at the end of the stream. */
  async next(name?: string): Promise<LiveEvent | null> {
    for (;;) {
      const event = this.#take()
      if (event !== null && (name === undefined || event.name === name)) return event
      if (event !== null) continue
      const { done, value } = await this.#reader.read()
      if (done) return null
      this.#text += value
    }
  }

  /** Comments are passed over. */
  #take(): LiveEvent | null {
    const match = /(?:^|\n\n)event: (.+)\ndata: (.+)\n\n/.exec(this.#text)
    if (match === null) return null
    this.#text = this.#text.slice(match.index + match[0].length)
    return { name: match[1]!, data: JSON.parse(match[2]!) as Record<string, unknown> }
  }
}
