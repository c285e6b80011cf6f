// One run of a server: a folder of its own, ports on loopback that stay the same over a restart, and its processes, which
// are stopped by their own handles. A process that outlives its starter is killed with it.

import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const READY_WITHIN_MS = 180_000 // a JVM on a busy machine
const LOOK_EVERY_MS = 100
const LOOK_AGAIN_MS = 5 // whether a process has got a signal
const STOP_WITHIN_MS = 30_000
const LOG_CHARS_SHOWN = 2_000

export type Launch = {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** PostgreSQL refuses to run as root. */
  readonly uid?: number
  /** For a server of several processes, of which one can be ended alone. */
  readonly name?: string
}

export class ServerRun {
  readonly directory = mkdtempSync(join(tmpdir(), 'duetime-server-'))
  readonly #ports = new Map<string, number>()
  readonly #processes: ChildProcess[] = []
  readonly #named = new Map<string, ChildProcess>()

  constructor() {
    // Servers that run as another user must get through to their data.
    chmodSync(this.directory, 0o755)
    process.once('exit', this.#killAll)
  }

  path(...names: readonly string[]): string {
    return join(this.directory, ...names)
  }

  has(...names: readonly string[]): boolean {
    return existsSync(this.path(...names))
  }

  /** A folder of its own for temporary files: a MySQL that starts removes those of all others in the folder it shares. */
  temporary(): string {
    const directory = this.path('temporary')
    mkdirSync(directory, { recursive: true })
    return directory
  }

  /** A free one at first, and the same from then on. */
  async port(name = 'client'): Promise<number> {
    const known = this.#ports.get(name)
    if (known !== undefined) return known
    const port = await freePort()
    this.#ports.set(name, port)
    return port
  }

  /** The one that `port` gave. */
  knownPort(name = 'client'): number {
    const port = this.#ports.get(name)
    if (port === undefined) throw new Error(`the server has no port ${name} yet: start it first`)
    return port
  }

  /** Of the processes that run now. */
  get pids(): readonly number[] {
    return this.#processes.map(({ pid }) => pid!)
  }

  /** Runs to its end; what it said is in the error when it fails. */
  async complete(launch: Launch & { readonly input?: string }): Promise<void> {
    const child = this.#spawn(launch, launch.input === undefined ? 'ignore' : 'pipe')
    child.stdin?.end(launch.input)
    const [code] = (await once(child, 'close')) as [number | null]
    this.#processes.splice(this.#processes.indexOf(child), 1)
    if (code !== 0) throw new Error(`${launch.command} ended with ${code}:\n${this.#log()}`)
  }

  /** Resolves when the process is up and `answers`, which is asked again and again. */
  async launch(launch: Launch, answers: () => Promise<boolean>): Promise<void> {
    const child = this.#spawn(launch, 'ignore')
    if (launch.name !== undefined) this.#named.set(launch.name, child)
    const until = performance.now() + READY_WITHIN_MS
    while (!(await answers().catch(() => false))) {
      if (hasEnded(child)) throw new Error(`${launch.command} ended before it answered:\n${this.#log()}`)
      if (performance.now() > until) throw new Error(`${launch.command} does not answer:\n${this.#log()}`)
      await sleep(LOOK_EVERY_MS)
    }
  }

  /** The last one that was started ends first. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    for (const child of this.#processes.splice(0).toReversed()) await endProcess(child, signal)
  }

  isRunning(name: string): boolean {
    const child = this.#named.get(name)
    return child !== undefined && !hasEnded(child)
  }

  /** Of the process that was launched by this name, and has not ended. */
  signal(name: string, signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#named.get(name)!.kill(signal)
  }

  async endOne(name: string, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    await endProcess(this.#named.get(name)!, signal)
  }

  async stop(): Promise<void> {
    await this.end('SIGTERM')
    process.off('exit', this.#killAll)
    rmSync(this.directory, { recursive: true, force: true })
  }

  readonly #killAll = (): void => {
    for (const child of this.#processes) child.kill('SIGKILL')
    rmSync(this.directory, { recursive: true, force: true })
  }

  #spawn({ command, args, cwd = this.directory, env = {}, uid }: Launch, input: 'ignore' | 'pipe'): ChildProcess {
    const log = openSync(this.path('log'), 'a')
    try {
      const child = spawn(command, args, {
        cwd,
        env: { ...process.env, ...env },
        stdio: [input, log, log],
        ...(uid !== undefined && { uid, gid: uid }),
      })
      child.on('error', () => {})
      this.#processes.push(child)
      return child
    } finally {
      closeSync(log)
    }
  }

  #log(): string {
    return readFileSync(this.path('log'), 'utf8').slice(-LOG_CHARS_SHOWN)
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}

async function endProcess(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (hasEnded(child)) return
  const ended = once(child, 'exit')
  if (signal === 'SIGKILL') await killStarted(child)
  child.kill(signal)
  const late = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS)
  await ended
  clearTimeout(late)
}

/**
 * What a server has started, such as the backends of PostgreSQL, does not end with it: one that is busy would keep the data from being
 * opened again. While the server is stopped it starts nothing more, and those that have ended can be told from those that have not.
 */
async function killStarted({ pid }: ChildProcess): Promise<void> {
  if (stateOf(pid!) === null) return // not Linux
  process.kill(pid!, 'SIGSTOP')
  while (!/[TtZX]/.test(stateOf(pid!) ?? 'X')) await sleep(LOOK_AGAIN_MS)
  const started = startedBy(pid!)
  for (const one of started) if (stateOf(one) !== null) process.kill(one, 'SIGKILL')
  while (started.some((one) => /[^ZX]/.test(stateOf(one) ?? 'X'))) await sleep(LOOK_AGAIN_MS)
}

function startedBy(pid: number): number[] {
  const file = `/proc/${pid}/task/${pid}/children`
  const pids = existsSync(file) ? readFileSync(file, 'utf8').split(' ').filter(Boolean).map(Number) : []
  return pids.flatMap((one) => [one, ...startedBy(one)])
}

/** The letter that Linux has for it: T for one that is stopped, Z or X for one that has ended. Null: there is no such process. */
export function stateOf(pid: number): string | null {
  try {
    return /^.*\) (\w)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))![1]!
  } catch {
    return null
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo
      probe.close(() => resolve(port))
    })
  })
}
