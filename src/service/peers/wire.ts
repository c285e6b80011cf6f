// What nodes say to each other. Commands and their answers travel on a stream that a node opens to each other one, by
// an HTTP upgrade, and keeps: a message is a line of JSON. What is said when shards move goes in requests of its own.

import type { Duplex } from 'node:stream'
import type { ShardCommand } from '../../core/rules/command.ts'
import type { ErrorCode, ErrorDetails } from '../../core/errors.ts'
import type { MovedShard } from '../../engine/cluster/handover.ts'
import type { Executed } from '../../engine/shard-commands.ts'

export const COMMANDS_PATH = '/internal/v1/commands'
export const COMMANDS_PROTOCOL = 'duetime-commands'
export const LOOK_PATH = '/internal/v1/look'
export const PREPARE_PATH = '/internal/v1/prepare'
export const MOVED_PATH = '/internal/v1/moved'
export const REPORT_PATH = '/internal/v1/delivery-report'

/** Commands have numbers in the order in which they were sent; `first` is that of the first one here. */
export type WireCommands = { readonly first: number; readonly commands: readonly ShardCommand[] }

export type WireResult =
  | { readonly type: 'executed'; readonly executed: Executed }
  | { readonly type: 'refused'; readonly code: ErrorCode; readonly message: string; readonly details: ErrorDetails }

/** Results by the numbers of their commands, in any order; or the last word of a node that stops. */
export type WireAnswer = { readonly results: readonly NumberedResult[] } | { readonly type: 'bye' }
export type NumberedResult = readonly [number, WireResult]

/** Whatever the node has not answered, it has not done. */
export const BYE = '{"type":"bye"}\n'

export type WireMoved = { readonly moved: readonly MovedShard[] }
export type WireReportAnswer = { readonly accepted: boolean }

const LINE_END = 10
const ANSWER_CHARS = 256 * 1_024

/** JSON has no bare line ends inside. */
export function commandsLine(message: WireCommands): string {
  return `${JSON.stringify(message)}\n`
}

/**
 * As many of the results, and at least one, as make a message of some size: the rows of timers may be megabytes each, and
 * timers fire on the thread that writes and reads this.
 */
export function resultsLine(results: readonly NumberedResult[]): { readonly text: string; readonly taken: number } {
  let [text, taken] = ['', 0]
  for (; taken < results.length && text.length < ANSWER_CHARS; taken++)
    text += `${taken === 0 ? '' : ','}${JSON.stringify(results[taken])}`
  return { text: `{"results":[${text}]}\n`, taken }
}

/** What is not a line of JSON, or has more than `bytesMax`, destroys the stream, and so does what `take` throws. */
export function readLines(
  stream: Duplex,
  { bytesMax, take }: { bytesMax: number; take: (message: unknown) => void },
): void {
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
