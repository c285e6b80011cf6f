// A thread that is none: the same code at the other end of a channel, so that a test's clock holds there, too.

import { EventEmitter } from 'node:events'
import { MessageChannel } from 'node:worker_threads'
import type { Port } from './channel/batched-port.ts'
import type { Thread } from './kept-thread.ts'

export function inProcess<Data>(open: (data: Data, port: Port) => unknown): (data: Data) => Thread {
  return (data) => {
    const { port1, port2 } = new MessageChannel()
    const ends = new EventEmitter()
    const died = (error: unknown) => {
      ends.emit('error', error)
      ends.emit('exit')
    }
    Promise.resolve(open(structuredClone(data), port2)).catch(died)
    return {
      postMessage: (message, transfer = []) => port1.postMessage(message, [...transfer]),
      on: (event: string, listener: (of: unknown) => void): unknown =>
        event === 'message' ? port1.on(event, listener) : ends.on(event, listener),
      terminate: async () => {
        port1.close()
        return 0
      },
    }
  }
}
