// The program of an SDK that makes the calls of the scenarios: one JSON object per line in both directions.

import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { cleanUp } from '../../support/cleanup.ts'
import { endsWithTest } from '../../support/child-processes.ts'
import type { Json } from './patterns.ts'

export type Command = {
  readonly program: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
}
export type Result = { readonly value: Json } | { readonly error: Json }
type Line = { readonly id: number; readonly value?: Json; readonly error?: Json }

export class RunnerProcess {
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, (result: Result) => void>()
  #lastId = 0
  #failure: Error | null = null
  #output = ''

  constructor({ program, args, cwd, env = {} }: Command) {
    this.#child = endsWithTest(
      spawn(program, args, { cwd, env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'pipe'] }),
    )
    this.#child.stderr!.setEncoding('utf8').on('data', (text: string) => (this.#output += text))
    createInterface(this.#child.stdout!).on('line', (line) => this.#onLine(line))
    this.#child.once('error', (error) => this.#fail(error))
    this.#child.once('close', (code) => this.#fail(new Error(`the runner ended with code ${code}:\n${this.#output}`)))
    this.#child.stdin!.on('error', () => {}) // it has ended, which `close` tells
  }

  call(op: string, args: Json): Promise<Result> {
    if (this.#failure !== null) return Promise.reject(this.#failure)
    const id = ++this.#lastId
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, (result) => (this.#failure === null ? resolve(result) : reject(this.#failure)))
      this.#child.stdin!.write(`${JSON.stringify({ id, op, args })}\n`)
    })
  }

  async stop(): Promise<void> {
    if (this.#failure !== null) return
    const closed = new Promise((resolve) => this.#child.once('close', resolve))
    this.#child.kill('SIGKILL')
    await closed
  }

  #onLine(line: string): void {
    const { id, ...result } = JSON.parse(line) as Line
    const settle = this.#waiting.get(id)
    this.#waiting.delete(id)
    settle?.(result.error === undefined ? { value: result.value ?? null } : { error: result.error })
  }

  #fail(error: Error): void {
    this.#failure ??= error
    for (const settle of this.#waiting.values()) settle({ value: null })
    this.#waiting.clear()
  }
}

export function startRunner(t: TestContext, command: Command): RunnerProcess {
  const runner = new RunnerProcess(command)
  cleanUp(t, () => runner.stop())
  return runner
}
