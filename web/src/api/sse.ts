// Server-sent events out of a byte stream. EventSource cannot send a key, so the page reads the stream itself.

export type ServerEvent = { readonly event: string; readonly data: string }

const LINE_END = /\r\n|\n|\r/

/** Calls `onEvent` for each event and `onActivity` for everything that arrives, comments included. Ends with the stream. */
export async function readEvents(
  stream: ReadableStream<Uint8Array>,
  { onEvent, onActivity }: { readonly onEvent: (event: ServerEvent) => void; readonly onActivity: () => void },
): Promise<void> {
  const reader = stream.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader()
  const lines = new EventLines(onEvent)
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    onActivity()
    lines.push(value)
  }
}

/** Text in any pieces in, events out. */
export class EventLines {
  readonly #onEvent: (event: ServerEvent) => void
  #rest = ''
  #event = ''
  #data: string[] = []

  constructor(onEvent: (event: ServerEvent) => void) {
    this.#onEvent = onEvent
  }

  push(text: string): void {
    const lines = (this.#rest + text).split(LINE_END)
    this.#rest = lines.pop()!
    for (const line of lines) this.#take(line)
  }

  #take(line: string): void {
    if (line === '') return this.#dispatch()
    const colon = line.indexOf(':')
    const field = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'event') this.#event = value
    else if (field === 'data') this.#data.push(value)
  }

  #dispatch(): void {
    if (this.#data.length > 0) this.#onEvent({ event: this.#event === '' ? 'message' : this.#event, data: this.#data.join('\n') })
    this.#event = ''
    this.#data = []
  }
}
