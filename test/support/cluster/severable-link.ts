// A network cable that a test can pull: a TCP proxy on loopback between a node and something it talks to.

import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'

export class SeverableLink {
  readonly port: number
  readonly #to: number
  readonly #sockets = new Set<Socket>()
  #server: Server
  #isSilent = false

  private constructor(server: Server, to: number) {
    this.port = (server.address() as AddressInfo).port
    this.#to = to
    this.#server = server
    server.on('connection', (socket) => this.#carry(socket))
  }

  /** `to` is a port on loopback. */
  static async to(to: number): Promise<SeverableLink> {
    return new SeverableLink(await listening(0), to)
  }

  /** Whoever is connected notices at once; whoever tries to connect is refused. */
  cut(): void {
    this.#server.close()
    for (const socket of this.#sockets) socket.resetAndDestroy()
  }

  /** Nothing gets through and nobody is told, as when a switch drops everything. What is sent meanwhile arrives after `restore`. */
  silence(): void {
    this.#isSilent = true
    for (const socket of this.#sockets) socket.pause()
  }

  async restore(): Promise<void> {
    this.#isSilent = false
    for (const socket of this.#sockets) socket.resume()
    if (this.#server.listening) return
    this.#server = await listening(this.port)
    this.#server.on('connection', (socket) => this.#carry(socket))
  }

  stop(): void {
    this.cut()
  }

  #carry(near: Socket): void {
    const far = connect({ host: '127.0.0.1', port: this.#to })
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('data', (chunk) => {
        if (!other.destroyed) other.write(chunk)
      })
      socket.on('end', () => other.end())
      socket.on('error', () => {})
      socket.on('close', () => {
        this.#sockets.delete(socket)
        other.destroy()
      })
      if (this.#isSilent) socket.pause()
    }
  }
}

async function listening(port: number): Promise<Server> {
  const server = createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  return server
}
