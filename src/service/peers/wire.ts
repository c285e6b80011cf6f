// What nodes say to each other. Commands and their answers travel on a stream that a node opens to each other one, by
// an HTTP upgrade, and keeps: a message is a line of JSON. What is said when shards move goes in requests of its own.

import type { Duplex } from 'node:stream'
import type { Command } from '../../core/command.ts'
import type { ErrorCode, ErrorDetails } from '../../core/errors.ts'
import type { MovedShard } from '../../engine/hand-over.ts'
import type { Executed } from '../../engine/shard.ts'

export const COMMANDS_PATH = '/internal/v1/commands'
export const COMMANDS_PROTOCOL = 'duetime-commands'
export const LOOK_PATH = '/internal/v1/look'
export const PREPARE_PATH = '/internal/v1/prepare'
export const MOVED_PATH = '/internal/v1/moved'
export const LANDING_PATH = '/internal/v1/landing'

/** Commands have numbers in the order in which they were sent; `first` is that of the first one here. */
export type WireCommands = { readonly first: number; readonly commands: readonly Command[] }

export type WireResult =
  | { readonly type: 'executed'; readonly executed: Executed }
  | { readonly type: 'refused'; readonly code: ErrorCode; readonly message: string; readonly details: ErrorDetails }

/** Results by the numbers of their commands, in any order. */
export type WireAnswer = { readonly results: readonly (readonly [number, WireResult])[] } | { readonly type: 'bye' }

/** The last word of a node that stops: whatever it has not answered it has not done. */
export const BYE: WireAnswer = { type: 'bye' }

export type WireMoved = { readonly moved: readonly MovedShard[] }
export type WireLanded = { readonly landed: boolean }

const LINE_END = 10

/** JSON has no bare line ends inside. */
export function line(message: WireCommands | WireAnswer): string {
  return `${JSON.stringify(message)}\n`
}

/** What is not a line of JSON, or has more than `bytesMax`, destroys the stream, and so does what `take` throws. */
export function readLines(stream: Duplex, { bytesMax, take }: { bytesMax: number; take: (message: unknown) => void }): void {
  let parts: Buffer[] = [] // of a line whose end has not arrived
  let bytes = 0
  const read = (chunk: Buffer) => {
    let start = 0
    for (let end = chunk.indexOf(LINE_END); end >= 0; end = chunk.indexOf(LINE_END, start)) {
      const last = chunk.subarray(start, end)
      const text = parts.length === 0 ? last : Buffer.concat([...parts, last])
      parts = []
      bytes = 0
      start = end + 1
      take(JSON.parse(text.toString()))
    }
    if (start === chunk.length) return
    parts.push(chunk.subarray(start))
    bytes += chunk.length - start
    if (bytes > bytesMax) throw new Error(`a message of more than ${bytesMax} bytes`)
  }
  stream.on('data', (chunk: Buffer) => {
    try {
      read(chunk)
    } catch (error) {
      stream.destroy(error as Error)
    }
  })
}
