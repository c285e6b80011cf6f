// Answers what is not even HTTP, or has too many headers, or never ends: Node reports it before there is a request,
// so the answer is written to the socket by hand, in the native envelope.

import type { Socket } from 'node:net'
import type { Millis } from '../../core/timer/timer.ts'
import { http } from '../../runtime/builtin-modules.ts'
import { ANSWER_HEADERS } from '../answer/answer-headers.ts'
import { isoText } from '../../core/time/iso-text.ts'

type Fault = { readonly status: number; readonly message: string }

const FAULTS: Readonly<Record<string, Fault>> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: 'the headers are too large' },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    message: 'the request took too long to arrive; REQUEST_TIMEOUT says how long it may take',
  },
}
const NOT_HTTP: Fault = { status: 400, message: 'this is not a well-formed HTTP request' }

const MORE_HEADERS = Object.entries(ANSWER_HEADERS)
  .map(([name, value]) => `\r\n${name}: ${value}`)
  .join('')

export function answerBrokenRequest(error: Error & { readonly code?: string }, socket: Socket, now: Millis): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const { status, message } = FAULTS[error.code ?? ''] ?? NOT_HTTP
  const body = JSON.stringify({ error: 'INVALID_INPUT', message, details: {}, timestamp: isoText(now) })
  const head = `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8${MORE_HEADERS}`
  if (socket.writable)
    socket.write(`${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`)
  socket.destroySoon()
}
