// CONNECTIONS_MAX holds for the process, whichever threads the connections are on: each thread counts its own where all
// can read it.

import type { Server } from 'node:http'

export type ConnectionLimit = {
  readonly max: number
  readonly place: number
  readonly connections: Int32Array<SharedArrayBuffer>
}

export function limitConnections(server: Server, { max, place, connections }: ConnectionLimit): void {
  server.on('connection', (socket) => {
    Atomics.add(connections, place, 1)
    socket.once('close', () => Atomics.sub(connections, place, 1))
    if (totalOf(connections) > max) socket.destroy()
  })
}

function totalOf(connections: Int32Array<SharedArrayBuffer>): number {
  let total = 0
  for (let place = 0; place < connections.length; place++) total += Atomics.load(connections, place)
  return total
}
