// The answer to a list: written in slices, with a turn of the event loop between them for what is due, and no faster than
// the client reads. A short answer is one slice and is sent whole.

import { Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import { JSON_TYPE } from '../answer/send-json.ts'

export type ListAnswer<Item> = {
  /** JSON up to the items. */
  readonly before: string
  readonly items: readonly Item[]
  readonly json: (item: Item) => string
  /** JSON behind the items, of which so many were written. */
  readonly after: (written: number) => string
  /** Items end before the one with which they would exceed this; one is written at least. */
  readonly bytesMax?: number
}

/** For entry points that pass a request on to a route, and whose answers have a limit: in bytes, of the items of a list. */
export const ANSWER_MAX_HEADER = 'x-answer-max-bytes'

export function answerLimit(headers: Readonly<Record<string, unknown>>): Pick<ListAnswer<never>, 'bytesMax'> {
  const bytes = Number(headers[ANSWER_MAX_HEADER] ?? NaN)
  return bytes > 0 ? { bytesMax: bytes } : {}
}

const SLICE_CHARS = 64 * 1_024 // some 100 timers, in a third of a millisecond; or one with a large payload

export function sendList<Item>(reply: FastifyReply, answer: ListAnswer<Item>): FastifyReply {
  const slices = slicesOf(answer)
  const first = slices.next()
  reply.header('content-type', JSON_TYPE)
  return reply.send(first.done === true ? first.value : Readable.from(inTurns(first, slices)))
}

type Slices = Generator<string, string, void>

/** The last slice is what it returns. */
function* slicesOf<Item>({ before, items, json, after, bytesMax }: ListAnswer<Item>): Slices {
  let [slice, bytes, written] = [before, 0, 0]
  for (const item of items) {
    const text = json(item)
    if (bytesMax !== undefined) bytes += Buffer.byteLength(text) + 1
    if (written > 0 && bytes > (bytesMax ?? Infinity)) break
    slice += written === 0 ? text : `,${text}`
    written++
    if (slice.length < SLICE_CHARS) continue
    yield slice
    slice = ''
  }
  return slice + after(written)
}

async function* inTurns(first: IteratorResult<string, string>, rest: Slices): AsyncGenerator<string, void, void> {
  for (let slice = first; ; slice = rest.next()) {
    yield slice.value
    if (slice.done === true) return
    await turn()
  }
}
