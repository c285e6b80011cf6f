// Calls from one thread to another: numbers for those that wait, an answer or an error for each.

import { errorOf, failureOf } from './failure.ts'
import type { Failure } from './failure.ts'

/** `call`: its number. */
export type CallMessage = { readonly call: number; readonly name: string; readonly argument: unknown }
export type AnswerMessage =
  | { readonly answered: number; readonly result: unknown }
  | { readonly answered: number; readonly failure: Failure }

type Waiting = { readonly resolve: (result: never) => void; readonly reject: (error: unknown) => void }
export type Methods<T> = { readonly [Name in keyof T]: (argument: never) => Promise<unknown> }

export class Caller<T extends Methods<T>> {
  readonly #send: (message: CallMessage) => void
  readonly #waiting = new Map<number, Waiting>()
  #last = 0
  #gone: Error | null = null

  constructor(send: (message: CallMessage) => void) {
    this.#send = send
  }

  call<Name extends Extract<keyof T, string>>(
    name: Name,
    argument: Parameters<T[Name]>[0],
  ): Promise<Awaited<ReturnType<T[Name]>>> {
    return new Promise((resolve, reject) => {
      if (this.#gone !== null) return reject(this.#gone)
      const call = ++this.#last
      this.#waiting.set(call, { resolve, reject })
      this.#send({ call, name, argument })
    })
  }

  /** The other side answers nothing any more: what waits for it ends with this error, and so does every further call. */
  end(error: Error): void {
    this.#gone = error
    const waiting = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const { reject } of waiting) reject(error)
  }

  take(answer: AnswerMessage): void {
    const waiting = this.#waiting.get(answer.answered)
    if (waiting === undefined) return
    this.#waiting.delete(answer.answered)
    if ('failure' in answer) waiting.reject(errorOf(answer.failure))
    else waiting.resolve(answer.result as never)
  }
}

/** Runs what is called, and answers when it is done. */
export function answerCalls<T extends Methods<T>>(
  methods: T,
  send: (answer: AnswerMessage) => void,
): (message: CallMessage) => void {
  return ({ call, name, argument }) => {
    // The other side only has names of methods; see Caller.
    methods[name as keyof T](argument as never).then(
      (result) => send({ answered: call, result }),
      (error: unknown) => send({ answered: call, failure: failureOf(error) }),
    )
  }
}
