// Connections that are opened and then hardly used: each says the beginning of a request and goes on a few bytes at a
// time, so that the service can neither answer nor forget it. One that is cut off is opened again.

import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { answerQuestions } from '../harness/helper-side.ts'

/** Zero connections: let go of all. */
export type SlowClients = { readonly port: number; readonly connections: number }

const HEAD = 'POST /api/v1/timers/create HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n'
const MORE = 'x-more: 1\r\n'
const MORE_EVERY_MS = 5_000
const REOPEN_AFTER_MS = 100

const open = new Set<Socket>()
let wanted: SlowClients = { port: 0, connections: 0 }

answerQuestions<SlowClients, { open: number }>({}, async (asked) => {
  wanted = asked
  if (asked.connections === 0) for (const socket of open) socket.destroy()
  const missing = Math.max(0, asked.connections - open.size)
  await Promise.all(Array.from({ length: missing }, (_, index) => openOne(index)))
  return { open: open.size }
})

/** They speak at different times: all at once would be a burst, which is not what these are about. */
function openOne(index: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: wanted.port, host: '127.0.0.1', noDelay: true })
    open.add(socket)
    socket.once('connect', () => {
      socket.write(HEAD)
      resolve()
    })
    socket.once('error', reject).resume()
    const more = setInterval(() => socket.write(MORE), MORE_EVERY_MS + (index % 100) * 10)
    socket.once('close', () => {
      clearInterval(more)
      open.delete(socket)
      if (open.size < wanted.connections) setTimeout(() => void openOne(index).catch(() => {}), REOPEN_AFTER_MS)
    })
  })
}
