// Receivers that take every request and never answer, each on a port of its own, so that each is a target of its own.

import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { answerQuestions, setup } from '../harness/helper-side.ts'

const { receivers } = setup<{ receivers: number }>()

const ports = await Promise.all(
  Array.from({ length: receivers }, async () => {
    const server = createServer((socket) => socket.on('error', () => socket.destroy()).resume())
    server.listen({ host: '127.0.0.1', port: 0, backlog: 1_024 })
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }),
)
answerQuestions({ ports }, () => null)
