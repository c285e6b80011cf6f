// Databases on FerretDB, each of its own, and a way to the server that loses messages: requests and answers, one kind at a time.

import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { parseMongodbUrl } from '../../runtime/config/databases/mongodb.ts'
import type { MongodbLocation } from '../../runtime/config/databases/mongodb.ts'
import type { RunningServer } from '../../../scripts/servers/servers.ts'

let databases = 0

export function emptyDatabase(server: RunningServer): MongodbLocation {
  return parseMongodbUrl(server.url(`timers-${process.pid}-${++databases}`))
}

/** `log`: an entry is written. `rows`: what an entry writes. `claim`: an owner is changed. */
export type Message = 'log' | 'rows' | 'claim'
/** `answer`: it arrives, and its answer does not. `hold`: it arrives when `deliverHeld` says so. `cut`: it does not arrive. */
export type Loss = 'answer' | 'hold' | 'cut'

export class LossyWay {
  readonly #server = createServer((client) => this.#carry(client))
  readonly #port: number
  readonly #losses: { readonly message: Message; readonly loss: Loss }[] = []
  readonly #held: Buffer[] = []
  readonly #clients = new Set<Socket>()

  private constructor(port: number) {
    this.#port = port
  }

  /** It ends with the process. */
  static async to(server: RunningServer, location: MongodbLocation) {
    const way = new LossyWay(server.port)
    way.#server.listen(0, '127.0.0.1').unref()
    await once(way.#server, 'listening')
    const { port } = way.#server.address() as AddressInfo
    return { way, location: parseMongodbUrl(location.url.replace(`:${server.port}/`, `:${port}/`)) }
  }

  /** The next messages of this kind suffer these, one after the other. */
  lose(message: Message, ...losses: readonly Loss[]): void {
    this.#losses.push(...losses.map((loss) => ({ message, loss })))
  }

  /** Nothing more is read of what clients send. */
  stopReading(): void {
    for (const client of this.#clients) client.pause()
  }

  forgive(): void {
    this.#losses.length = 0
  }

  /** Resolves when the server has answered each, which nobody hears. */
  async deliverHeld(): Promise<void> {
    for (const message of this.#held.splice(0)) {
      const server = connect(this.#port, '127.0.0.1')
      server.write(message)
      await once(server, 'data')
      server.destroy()
    }
  }

  #carry(client: Socket): void {
    const server = connect(this.#port, '127.0.0.1')
    this.#clients.add(client)
    for (const socket of [client, server]) {
      socket.on('error', () => {})
      socket.on('close', () => {
        this.#clients.delete(client)
        client.destroy()
        server.destroy()
      })
    }
    let isLosing = false
    server.on('data', (data) => {
      if (isLosing) client.destroy()
      else client.write(data)
    })
    let buffered = Buffer.alloc(0)
    client.on('data', (data: Buffer) => {
      buffered = Buffer.concat([buffered, data])
      // A message begins with its length.
      while (buffered.length >= 4 && buffered.length >= buffered.readInt32LE(0)) {
        const message = buffered.subarray(0, buffered.readInt32LE(0))
        buffered = buffered.subarray(message.length)
        const loss = this.#lossOf(message)
        if (loss === 'hold') this.#held.push(Buffer.from(message))
        if (loss === 'hold' || loss === 'cut') return void client.destroy()
        isLosing ||= loss === 'answer'
        server.write(message)
      }
    })
  }

  #lossOf(message: Buffer): Loss | null {
    const index = this.#losses.findIndex((one) => one.message === kindOf(message))
    return index < 0 ? null : this.#losses.splice(index, 1)[0]!.loss
  }
}

/** By the names of fields that only they have. */
function kindOf(message: Buffer): Message | null {
  if (!message.includes('update\0')) return null
  if (message.includes('claimed\0')) return 'claim'
  if (message.includes('entry\0')) return 'log'
  return message.includes('$lt\0') ? 'rows' : null
}
