// Cuts a byte stream into HTTP/1.1 messages by their content-length, and does nothing else: whatever the load
// generator and the receiver spend on parsing is taken from the process that is being measured.

const HEAD_END = Buffer.from('\r\n\r\n')
const LENGTH_LOWER = Buffer.from('\r\ncontent-length: ')
const LENGTH_UPPER = Buffer.from('\r\nContent-Length: ')

export class HttpFrames {
  readonly #onMessage: (bytes: Buffer, start: number, end: number) => void
  #rest: Buffer | null = null

  /** `onMessage` gets the buffer that holds a whole message, head and body, from `start` to `end`. */
  constructor(onMessage: (bytes: Buffer, start: number, end: number) => void) {
    this.#onMessage = onMessage
  }

  push(chunk: Buffer): void {
    const bytes = this.#rest === null ? chunk : Buffer.concat([this.#rest, chunk])
    this.#rest = null
    let start = 0
    while (start < bytes.length) {
      const end = messageEnd(bytes, start)
      if (end > bytes.length) {
        this.#rest = bytes.subarray(start)
        return
      }
      this.#onMessage(bytes, start, end)
      start = end
    }
  }
}

/** Infinity while the head is incomplete. */
function messageEnd(bytes: Buffer, start: number): number {
  const headEnd = bytes.indexOf(HEAD_END, start)
  if (headEnd < 0) return Infinity
  let at = bytes.indexOf(LENGTH_LOWER, start)
  if (at < 0 || at > headEnd) at = bytes.indexOf(LENGTH_UPPER, start)
  if (at < 0 || at > headEnd) throw new Error(`no content-length in ${bytes.toString('latin1', start, headEnd)}`)
  let length = 0
  for (let i = at + LENGTH_LOWER.length; bytes[i] !== 0x0d; i++) length = length * 10 + bytes[i]! - 0x30
  return headEnd + HEAD_END.length + length
}
