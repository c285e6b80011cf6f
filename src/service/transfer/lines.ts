// A stream of bytes as numbered lines. Lines end with \n and nothing else: node:readline also breaks at U+2028, which
// JSON may contain. A line that is longer than it can be is skipped, not gathered.

export type NumberedLine = {
  /** From 1. */
  readonly number: number
  /** Null: longer than allowed. */
  readonly bytes: Buffer | null
}

const NEWLINE = 0x0a

/** The last line counts without its \n, too. */
export async function* linesOf(chunks: AsyncIterable<Buffer>, bytesMax: number): AsyncGenerator<NumberedLine> {
  let number = 1
  let pieces: Buffer[] = []
  let length = 0
  const take = (piece: Buffer): void => {
    length += piece.length
    if (length <= bytesMax) pieces.push(piece)
    else pieces = []
  }
  const line = (): NumberedLine => {
    const bytes = length > bytesMax ? null : Buffer.concat(pieces)
    pieces = []
    length = 0
    return { number: number++, bytes }
  }
  for await (const chunk of chunks) {
    let from = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      take(chunk.subarray(from, end))
      from = end + 1
      yield line()
    }
    if (from < chunk.length) take(chunk.subarray(from))
  }
  if (length > 0) yield line()
}
