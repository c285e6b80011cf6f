// A helper is a program of programs/ in a process of its own: what generates load, receives calls or shows a raw
// limit must not share an event loop with anything else. It answers one question at a time over the IPC channel,
// and ends when the channel does, so that a bench that is killed leaves nothing running.

import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { killLater } from './own-processes.ts'

type Answer = { readonly value?: unknown; readonly error?: string }

const ANSWER_TIMEOUT_MS = 120_000 // longer than any round; a helper that is silent for so long is broken

export class Helper<Question, Reply> {
  readonly #child: ChildProcess
  readonly #name: string
  #settle: ((answer: Answer) => void) | null = null

  /** Resolves when the program says that it is ready; `setup` reaches it as its first argument. */
  static async start<Question, Reply, Ready = unknown>(
    program: URL,
    setup: object = {},
  ): Promise<{ helper: Helper<Question, Reply>; ready: Ready }> {
    const helper = new Helper<Question, Reply>(program, setup)
    return { helper, ready: (await helper.#answer()) as Ready }
  }

  private constructor(program: URL, setup: object) {
    this.#name = program.pathname.split('/').at(-1)!
    this.#child = fork(program, [JSON.stringify(setup)], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      serialization: 'json',
    })
    killLater(this.#child)
    this.#child.on('message', (answer) => this.#settle?.(answer as Answer))
    this.#child.on('exit', (code, signal) => this.#settle?.({ error: `it ended (${signal ?? code})` }))
  }

  get pid(): number {
    return this.#child.pid!
  }

  async ask(question: Question): Promise<Reply> {
    this.#child.send(question as object)
    return (await this.#answer()) as Reply
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const exited = once(this.#child, 'exit')
    if (this.#child.connected) this.#child.disconnect()
    await exited
  }

  /** At once, whatever it is doing. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const exited = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await exited
  }

  #answer(): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const timeout = setTimeout(
        () => this.#settle?.({ error: `no answer after ${ANSWER_TIMEOUT_MS / 1_000} s` }),
        ANSWER_TIMEOUT_MS,
      )
      this.#settle = ({ value, error }) => {
        clearTimeout(timeout)
        this.#settle = null
        if (error === undefined) resolve(value)
        else reject(new Error(`${this.#name}: ${error}`))
      }
    })
  }
}
