// The main thread's end of a worker: sends requests, matches the answers, and turns a worker that died into errors
// instead of promises that never settle.

import type { Worker } from 'node:worker_threads'
import { StoreError } from '../../store.ts'
import { toStoreError } from '../failures.ts'
import type { Reply, Request } from './messages.ts'

type Waiting = {
  readonly resolve: (result: never) => void
  readonly reject: (error: StoreError) => void
  readonly isWrite: boolean
}
export type NameIn<T> = Extract<keyof T, string>
type Calls<T> = { [Name in keyof T]: (argument: never) => unknown }

export class WorkerLink<T extends Calls<T>> {
  readonly #worker: Worker
  readonly #role: string
  readonly #waiting = new Map<number, Waiting>()
  #lastCall = 0
  #died: StoreError | null = null

  constructor(worker: Worker, role: string) {
    this.#worker = worker
    this.#role = role
    worker.on('message', (reply: Reply) => this.#settle(reply))
    worker.on('error', (error) => this.#die(error))
    worker.on('exit', () => this.#die(null))
  }

  call<Name extends NameIn<T>>(
    name: Name,
    argument: Parameters<T[Name]>[0],
    isWrite = false,
  ): Promise<ReturnType<T[Name]>> {
    if (this.#died !== null) return Promise.reject(this.#died)
    return new Promise((resolve, reject) => {
      const call = ++this.#lastCall
      this.#waiting.set(call, { resolve, reject, isWrite })
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      this.#worker.postMessage({ call, name, argument } satisfies Request)
    })
  }

  #settle(reply: Reply): void {
    const waiting = this.#waiting.get(reply.call)
    if (waiting === undefined) return
    this.#waiting.delete(reply.call)
    if ('failure' in reply) waiting.reject(toStoreError(reply.failure))
    else waiting.resolve(reply.result as never)
  }

  /** A write that was under way may have been committed a moment before. */
  #die(cause: unknown): void {
    this.#died ??= this.#deathError(cause, false)
    for (const waiting of this.#waiting.values()) waiting.reject(this.#deathError(cause, waiting.isWrite))
    this.#waiting.clear()
  }

  #deathError(cause: unknown, outcomeUnknown: boolean): StoreError {
    const reason = cause instanceof Error ? `: ${cause.message}` : ''
    return new StoreError(`the database's ${this.#role} thread ended${reason}; restart the service`, {
      retryable: false,
      outcomeUnknown,
      cause,
    })
  }
}
