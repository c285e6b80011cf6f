// Messages between two threads. A message costs microseconds to post and to take, whatever is in it, so all that one
// thread has to say in a turn of its event loop goes as one.

import type { Transferable } from 'node:worker_threads'

/** A MessagePort, a Worker, or a thread's own `parentPort`. */
export type Port = {
  postMessage(message: unknown, transfer?: readonly Transferable[]): void
  on(event: 'message', listener: (message: any) => void): unknown // oxlint-disable-line typescript/no-explicit-any -- as Node has it
}

/** What is said together, in the order in which it was said. */
type Batch<Out> = readonly Out[]

export class BatchedPort<Out, In> {
  readonly #port: Port
  #waiting: Out[] = []
  #transfer: Transferable[] = []
  #isScheduled = false

  constructor(port: Port, take: (message: In) => void) {
    this.#port = port
    port.on('message', (batch: Batch<In>) => {
      for (const message of batch) take(message)
    })
  }

  /** Goes at the end of this turn, when all that has arrived in it has been looked at. */
  send(message: Out, transfer?: Transferable): void {
    this.#waiting.push(message)
    if (transfer !== undefined) this.#transfer.push(transfer)
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.#flush())
  }

  #flush(): void {
    this.#isScheduled = false
    const [batch, transfer] = [this.#waiting, this.#transfer]
    this.#waiting = []
    if (transfer.length > 0) this.#transfer = []
    this.#port.postMessage(batch, transfer)
  }
}
