// Another node for the tests of links: an HTTP server of its own, and commands for it.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { TestContext } from 'node:test'
import type { Command } from '../../core/rules/command.ts'
import { timerUuid } from '../../core/timer/ids.ts'
import type { Namespace, TimerId } from '../../core/timer/timer.ts'
import { isCommandStream } from './command-streams.ts'

export function cancel(id: string): Command {
  const key = { namespace: 'default' as Namespace, id: id as TimerId }
  return { type: 'cancel', ...key, uuid: timerUuid(key.namespace, key.id), ifVersion: null }
}

export type Listening = { readonly server: Server; readonly address: string }

/** Answers 200 to whatever is no stream of commands; streams are the test's business. */
export async function listen(t: TestContext): Promise<Listening> {
  const server = createServer({ shouldUpgradeCallback: isCommandStream }, (_request, response) => response.end('page'))
  const sockets = new Set<Duplex>()
  server.on('connection', (socket) => sockets.add(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(async () => {
    for (const socket of sockets) socket.destroy()
    if (server.listening) await new Promise((resolve) => server.close(resolve))
  })
  return { server, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** A node that lets others in and does then what the test says, with what came on the stream so far. */
export async function oddPeer(t: TestContext, onData: (socket: Duplex, text: string) => void): Promise<Listening> {
  const listening = await listen(t)
  listening.server.on('upgrade', (_request: IncomingMessage, socket: Duplex) => {
    let text = ''
    socket.on('error', () => {})
    socket.on('data', (chunk: Buffer) => onData(socket, (text += chunk.toString())))
    socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: duetime-commands\r\n\r\n')
  })
  return listening
}
