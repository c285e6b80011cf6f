// The service as its users run it: a process of its own, started by its command line, that can be stopped politely,
// killed, and started again on the same files. Whatever happens to the test, the process is gone afterwards.

import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { COMPILE_CACHE, endsWithTest } from './child-processes.ts'
import { cleanUp } from './cleanup.ts'
import { eventually } from './eventually.ts'

const MAIN = join(import.meta.dirname, '..', '..', 'src', 'main.ts')
const SOURCES = [process.execPath, MAIN] as const
const START_WITHIN_MS = 120_000 // a machine that runs all tests at once is slow; how long it took is the test's to judge

export type Environment = Readonly<Record<string, string>>
export type LogRecord = { readonly msg: string; readonly level: unknown; readonly [field: string]: unknown }
export type ExitStatus = { readonly code: number | null; readonly signal: NodeJS.Signals | null }

type Place = {
  readonly cwd: string
  readonly env?: Environment
  readonly flags?: readonly string[]
  /** Another program than the sources, such as one that was built from them. */
  readonly program?: readonly [string, ...string[]]
}

/** The process, from the moment it is spawned; `listening` says when it takes requests. */
export class Service {
  readonly spawnedAt = Date.now()
  readonly logs: LogRecord[] = []
  /** Everything that it printed, for messages of failed tests. */
  output = ''
  readonly exited: Promise<ExitStatus>
  readonly listening: Promise<void>
  #url: string | null = null
  readonly #child: ChildProcess

  constructor({ cwd, env = {}, flags = [], program = SOURCES }: Place) {
    // Tests wait for retries: they may come sooner than the service lets them by default.
    this.#child = spawnMain(['serve', ...flags], {
      cwd,
      env: { PORT: '0', LOG_FORMAT: 'json', RESCHEDULE_MIN: '10ms', ...env },
      program,
    })
    this.exited = new Promise((resolve) => this.#child.once('close', (code, signal) => resolve({ code, signal })))
    this.listening = this.#watchOutput()
    this.listening.catch(() => {}) // whoever needs it waits for it; a test that kills a starting service does not
  }

  get pid(): number {
    return this.#child.pid!
  }

  get url(): string {
    if (this.#url === null) throw new Error('the service is not listening yet')
    return this.#url
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  signal(signal: 'SIGTERM' | 'SIGINT' | 'SIGHUP'): void {
    this.#child.kill(signal)
  }

  /** Asks it to stop and waits until it has. */
  stop(): Promise<ExitStatus> {
    if (this.isAlive) this.signal('SIGTERM')
    return this.exited
  }

  /** kill -9. Resolves when the process is gone. */
  kill(): Promise<ExitStatus> {
    if (this.isAlive) this.#child.kill('SIGKILL')
    return this.exited
  }

  logged(msg: string | RegExp): Promise<LogRecord> {
    const matches = (record: LogRecord) => (typeof msg === 'string' ? record.msg === msg : msg.test(record.msg))
    return eventually(`a log line ${String(msg)}`, () => this.logs.find(matches))
  }

  #watchOutput(): Promise<void> {
    return new Promise((resolve, reject) => {
      const tooLate = setTimeout(
        () => reject(new Error(`not listening after ${START_WITHIN_MS} ms:\n${this.output}`)),
        START_WITHIN_MS,
      )
      const onLine = (line: string) => {
        this.output += `${line}\n`
        const record = parseRecord(line)
        if (record === null) return
        this.logs.push(record)
        if (record.msg !== 'listening') return
        this.#url = String(record['url'])
        clearTimeout(tooLate)
        resolve()
      }
      createInterface(this.#child.stdout!).on('line', onLine)
      createInterface(this.#child.stderr!).on('line', onLine)
      this.#child.once('close', (code, signal) => {
        clearTimeout(tooLate)
        reject(new Error(`the service ended before it listened (code ${code}, signal ${signal}):\n${this.output}`))
      })
    })
  }
}

/** Starts the service and waits until it takes requests. */
export async function startService(t: TestContext, place: Place): Promise<Service> {
  const service = new Service(place)
  cleanUp(t, () => service.kill())
  await service.listening
  return service
}

/** Runs a command to its end: for those that fail at once, and those that are not services. */
export async function runToEnd(
  args: readonly string[],
  { cwd, env = {}, program = SOURCES }: Place,
): Promise<{ code: number | null; output: string }> {
  const child = spawnMain(args, { cwd, env, program })
  const tooLate = setTimeout(() => child.kill('SIGKILL'), START_WITHIN_MS)
  let output = ''
  child.stdout!.setEncoding('utf8').on('data', (text: string) => (output += text))
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (output += text))
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  clearTimeout(tooLate)
  return { code, output }
}

type Started = Required<Omit<Place, 'flags'>>

/** Nothing of the tester's own environment may decide how the service behaves. */
function spawnMain(args: readonly string[], { cwd, env, program: [file, ...first] }: Started): ChildProcess {
  return endsWithTest(
    spawn(file, [...first, ...args], {
      cwd,
      env: { ...COMPILE_CACHE, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
}

function parseRecord(line: string): LogRecord | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && 'msg' in value ? (value as LogRecord) : null
  } catch {
    return null
  }
}
