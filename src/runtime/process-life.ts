// Whether a process has ended, as another one on the same machine can know without a doubt. Each process holds a socket of
// Linux's abstract namespace, by its own name, from before anybody hears of that name. The kernel takes the socket away when
// the process ends, however it ends, and not a moment before: one that hangs or is suspended still has it.
//
// A name says where it counts: the boot of the machine and the network namespace, in which such sockets are. Elsewhere, and
// on other systems, nothing is known, and whoever asks has to wait for the lease.

import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFile, readlink } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import type { Server } from 'node:net'

const PLACE_CHARS = 12 // of a hash: enough to tell machines of one database apart, and a name that can be read

export class ProcessLife {
  /** What others know this process by. */
  readonly name: string
  readonly #place: string | null
  readonly #server: Server | null

  /** `id` is of this run of this process only. */
  static async begin(id: string): Promise<ProcessLife> {
    const place = await placeOf()
    if (place === null) return new ProcessLife(id, null, null)
    const name = `${id}@${place}`
    const server = createServer((socket) => socket.destroy())
    try {
      await once(server.listen(socketOf(name)), 'listening')
    } catch {
      // Not allowed here, or taken by somebody else: then nobody is to draw conclusions from it.
      return new ProcessLife(id, place, null)
    }
    server.unref()
    return new ProcessLife(name, place, server)
  }

  private constructor(name: string, place: string | null, server: Server | null) {
    this.name = name
    this.#place = place
    this.#server = server
  }

  /** True only when the process of that name has surely ended. */
  async hasEnded(name: string): Promise<boolean> {
    if (this.#place === null || !name.endsWith(`@${this.#place}`)) return false
    const socket = connect(socketOf(name))
    try {
      await once(socket, 'connect')
      return false
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ECONNREFUSED'
    } finally {
      socket.destroy()
    }
  }

  /** As if the process ended: nothing is done in its name any more. */
  end(): void {
    this.#server?.close()
  }
}

function socketOf(name: string): string {
  return `\0duetime-${createHash('sha256').update(name).digest('hex').slice(0, 32)}`
}

/** Null where there are no such sockets, or where it cannot be told which ones would be seen. */
async function placeOf(): Promise<string | null> {
  if (process.platform !== 'linux') return null
  try {
    const [boot, network] = await Promise.all([
      readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
      readlink('/proc/self/ns/net'),
    ])
    return createHash('sha256').update(`${boot.trim()} ${network}`).digest('hex').slice(0, PLACE_CHARS)
  } catch {
    return null
  }
}
