// A network cable that a test can pull: a TCP proxy on loopback between a node and something it talks to, which may have several
// addresses there with the same port on each.

import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { Server, Socket } from 'node:net'
import { freePort } from '../ports.ts'

export class SeverableLink {
  readonly port: number
  readonly #to: number
  readonly #hosts: readonly string[]
  readonly #sockets = new Set<Socket>()
  readonly #servers: Server[] = []
  #isSilent = false

  private constructor(port: number, to: number, hosts: readonly string[]) {
    this.port = port
    this.#to = to
    this.#hosts = hosts
  }

  /** `to` is a port on loopback, and the link has another one, on the same addresses. */
  static async to(to: number, hosts: readonly string[] = ['127.0.0.1']): Promise<SeverableLink> {
    const link = new SeverableLink(await freePort(), to, hosts)
    await link.#listen()
    return link
  }

  /** Whoever is connected notices at once; whoever tries to connect is refused. */
  cut(): void {
    for (const server of this.#servers.splice(0)) server.close()
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
    if (this.#servers.length === 0) await this.#listen()
  }

  stop(): void {
    this.cut()
  }

  async #listen(): Promise<void> {
    for (const host of this.#hosts) {
      const server = createServer((socket) => this.#carry(socket, host)).listen(this.port, host)
      await once(server, 'listening')
      this.#servers.push(server)
    }
  }

  #carry(near: Socket, host: string): void {
    const far = connect({ host, port: this.#to })
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
