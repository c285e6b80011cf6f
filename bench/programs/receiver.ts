// Takes the deliveries: answers each with {"ok":true} and notes when it came and when it should have. It runs on raw
// sockets, so that it is never what a burst waits for.

import { openSync, writeSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { answerQuestions } from '../harness/helper-side.ts'
import { spreadOf } from '../harness/statistics.ts'
import type { Spread } from '../harness/statistics.ts'
import { HttpFrames } from './http-frames.ts'

/** `reset` begins a new count, `result` waits until `count` calls have come and tells of them. The ids go to `file`, a line each, where one is given. */
export type ReceiverQuestion =
  | { readonly type: 'reset'; readonly file?: string }
  | { readonly type: 'result'; readonly count: number; readonly timeoutMs: number }
export type ReceiverResult = {
  readonly count: number
  /** Behind the due time in the call's body; on one clock, as all runs on one machine. */
  readonly latenessMs: Spread | null
  readonly early: number
  /** From the first call to the last. */
  readonly durationMs: number
}

const ANSWER = Buffer.from('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 11\r\n\r\n{"ok":true}')
const ID = Buffer.from('"id":"')
const EXECUTE_AT = Buffer.from('"executeAt":"')
const INSTANT_CHARS = 24 // 2026-01-01T00:00:00.000Z
const CALLS_MAX = 1_000_000
const OFFSET_TICKS = 50

const lateness = new Float64Array(CALLS_MAX)
let count = 0
let early = 0
let firstAt = 0
let lastAt = 0
let wallOffsetMs = measureWallOffset()
let onCall: (() => void) | null = null
let idFile: number | null = null

const server = createServer({ noDelay: true }, (socket) => {
  const frames = new HttpFrames((bytes, start, end) => {
    arrived(bytes, start, end)
    socket.write(ANSWER)
  })
  socket.on('data', (chunk: Buffer) => frames.push(chunk))
  socket.on('error', () => socket.destroy())
})
server.listen({ host: '127.0.0.1', port: 0, backlog: 1_024 }, () => {
  const { port } = server.address() as AddressInfo
  answerQuestions<ReceiverQuestion, ReceiverResult | null>({ port }, (question) => {
    if (question.type === 'result') return result(question.count, question.timeoutMs)
    ;[count, early, wallOffsetMs] = [0, 0, measureWallOffset()]
    idFile = question.file === undefined ? null : openSync(question.file, 'a')
    return null
  })
})

function arrived(bytes: Buffer, start: number, end: number): void {
  const now = performance.now()
  if (count === 0) firstAt = now
  lastAt = now
  const at = bytes.subarray(start, end).indexOf(EXECUTE_AT)
  if (at >= 0 && count < CALLS_MAX) {
    const dueAt = Date.parse(
      bytes.toString('latin1', start + at + EXECUTE_AT.length, start + at + EXECUTE_AT.length + INSTANT_CHARS),
    )
    lateness[count] = now + wallOffsetMs - dueAt
    if (Date.now() < dueAt) early++
  }
  count++
  if (idFile !== null) writeSync(idFile, `${idOf(bytes.subarray(start, end))}\n`)
  onCall?.()
}

function idOf(call: Buffer): string {
  const from = call.indexOf(ID) + ID.length
  return call.toString('latin1', from, call.indexOf('"', from))
}

async function result(wanted: number, timeoutMs: number): Promise<ReceiverResult> {
  if (count < wanted) {
    await new Promise<void>((resolve) => {
      const timeout = setTimeout(resolve, timeoutMs)
      onCall = () => {
        if (count < wanted) return
        clearTimeout(timeout)
        resolve()
      }
    })
    onCall = null
  }
  return {
    count,
    early,
    durationMs: lastAt - firstAt,
    latenessMs: count === 0 ? null : spreadOf(lateness.subarray(0, count)),
  }
}

/**
 * Wall time = performance.now() + this, to the microsecond: Date.now() is read at the moment it ticks over. When another
 * process gets the core just then, the difference is too small, never too large.
 */
function measureWallOffset(): number {
  return Math.max(...Array.from({ length: OFFSET_TICKS }, offsetAtNextTick))
}

function offsetAtNextTick(): number {
  const before = Date.now()
  while (Date.now() === before) {}
  return Date.now() - performance.now()
}
