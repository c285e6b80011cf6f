// The command line as people use it: the real program in a process of its own, with what it wrote to each of its two
// outputs. Nothing of the tester's own environment decides how it behaves.

import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { COMPILE_CACHE, endsWithTest } from './child-processes.ts'
import { cleanUp } from './cleanup.ts'
import { eventually } from './eventually.ts'
import type { Environment } from './service.ts'

export const MAIN = join(import.meta.dirname, '..', '..', 'src', 'main.ts')
/** The client from its sources, whatever was built last. */
export const NODE_FLAGS: readonly string[] = ['--conditions=@duetime/source']
const END_WITHIN_MS = 120_000 // a machine that does much else is slow; nothing is judged by it

export type Ended = { readonly code: number | null; readonly out: string; readonly err: string }
export type Place = {
  readonly cwd?: string
  readonly env?: Environment
  readonly input?: string
  readonly nodeFlags?: readonly string[]
}

/** A command under way. */
export class Running {
  out = ''
  err = ''
  readonly ended: Promise<Ended>
  readonly #child: ChildProcess

  constructor(args: readonly string[], { cwd = '/', env = {}, input, nodeFlags = [] }: Place) {
    this.#child = endsWithTest(
      spawn(process.execPath, [...NODE_FLAGS, ...nodeFlags, MAIN, ...args], {
        cwd,
        env: { ...COMPILE_CACHE, ...env },
        stdio: ['pipe', 'pipe', 'pipe'],
      }),
    )
    this.#child.stdout!.setEncoding('utf8').on('data', (text: string) => (this.out += text))
    this.#child.stderr!.setEncoding('utf8').on('data', (text: string) => (this.err += text))
    this.#child.stdin!.end(input)
    const tooLate = setTimeout(() => this.#child.kill('SIGKILL'), END_WITHIN_MS)
    this.ended = new Promise((resolve) => {
      this.#child.once('close', (code) => {
        clearTimeout(tooLate)
        resolve({ code, out: this.out, err: this.err })
      })
    })
  }

  interrupt(): Promise<Ended> {
    this.#child.kill('SIGINT')
    return this.ended
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }

  /** Resolves when it has written so. */
  wrote(text: RegExp): Promise<true> {
    return eventually(`output ${String(text)}, not\n${this.out}${this.err}`, () => text.test(this.out + this.err))
  }
}

export function start(t: TestContext, args: readonly string[], place: Place = {}): Running {
  const running = new Running(args, place)
  cleanUp(t, () => running.kill())
  return running
}

export function runCli(args: readonly string[], place: Place = {}): Promise<Ended> {
  return new Running(args, place).ended
}

/** For one server: every command is told where it is by the environment. */
export function cliFor(url: string, env: Environment = {}): (...args: readonly string[]) => Promise<Ended> {
  return (...args) => runCli(args, { env: { DUETIME_URL: url, TZ: 'Europe/Berlin', ...env } })
}
