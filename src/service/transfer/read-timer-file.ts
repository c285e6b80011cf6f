// Reads a file of timers in order, with bounded memory, and says of every line that is wrong which one it is and what is
// wrong with it.

import { createReadStream } from 'node:fs'
import type { Timer } from '../../core/timer/timer.ts'
import { linesOf } from './lines.ts'
import type { NumberedLine } from './lines.ts'
import { parseLine } from './timer-file.ts'
import type { FileHeader, Line } from './timer-file.ts'
import { TransferError } from './transfer-error.ts'

export type Entry =
  | { readonly type: 'header'; readonly header: FileHeader }
  | { readonly type: 'timer'; readonly timer: Timer }
  | { readonly type: 'fault'; readonly line: number; readonly fault: string }

const LINE_BYTES_MAX = 64 * 2 ** 20 // the largest payload that can be configured is 16 MiB, and quotes in it are escaped
const CHUNK_BYTES = 2 ** 20
const FAULTS_SHOWN = 20

/** The header comes first or not at all; a file that is cut off ends with a fault. */
export async function* entriesOf(path: string): AsyncGenerator<Entry> {
  let timers = 0
  let previous: Line['type'] | null = null
  let last = 0
  for await (const numbered of linesOf(createReadStream(path, { highWaterMark: CHUNK_BYTES }), LINE_BYTES_MAX)) {
    last = numbered.number
    const read = lineOf(numbered)
    if (read === null) continue
    const misplaced = misplacement(read, previous, timers)
    previous = read.type
    // A line that cannot be read was a timer once.
    if (read.type === 'timer' || read.type === 'fault') timers++
    if (misplaced !== null) yield { type: 'fault', line: last, fault: misplaced }
    else if (read.type === 'fault') yield { ...read, line: last }
    else if (read.type !== 'end') yield read
    // Whatever it is, it is not ours: its other lines are of no interest.
    if (read.type === 'fault' && last === 1) return
  }
  if (previous !== 'end') yield { type: 'fault', line: last + 1, fault: CUT_OFF }
}

const CUT_OFF = 'the file ends here, without its last line: it was cut off, export it again'

/** Null for an empty line, as editors leave at the end. */
function lineOf({ bytes }: NumberedLine): Line | null {
  if (bytes === null) return { type: 'fault', fault: `it is longer than ${LINE_BYTES_MAX} bytes` }
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    return { type: 'fault', fault: 'it is not UTF-8' }
  }
  return text.trim() === '' ? null : parseLine(text)
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function misplacement(read: Line, previous: Line['type'] | null, timers: number): string | null {
  const isFirst = previous === null
  if (isFirst)
    return read.type === 'timer' || read.type === 'end'
      ? 'the first line must be the header that `duetime export` writes'
      : null
  if (previous === 'end') return 'something follows the last line'
  if (read.type === 'header') return 'a second header: import one file after the other'
  if (read.type === 'end' && read.timers !== timers)
    return `the file should have ${read.timers} timers, and ${timers} are in it`
  return null
}

/** Reads the whole file before any of it counts. Throws a TransferError that names the first faults and how many there are. */
export async function checkTimerFile(
  path: string,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<FileHeader> {
  let header: FileHeader | null = null
  let done = 0
  let faults = 0
  const shown: string[] = []
  for await (const entry of entriesOf(path)) {
    if (entry.type === 'header') header = entry.header
    else if (entry.type === 'timer') onProgress(++done, header?.timers ?? done)
    else if (++faults <= FAULTS_SHOWN) shown.push(`  line ${entry.line}: ${entry.fault}`)
  }
  if (header !== null && faults === 0) return header
  if (faults > FAULTS_SHOWN) shown.push(`  and ${faults - FAULTS_SHOWN} more`)
  throw new TransferError(`${path} cannot be imported, and nothing of it was:\n${shown.join('\n')}`)
}
