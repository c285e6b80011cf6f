// The service under test: the real process, with its default settings, on a database of its own.

import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'
import { killLater } from './own-processes.ts'
import { cpuMs, residentBytes } from './process-usage.ts'
import { ServerLog } from './server-log.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const START_TIMEOUT_MS = 60_000
const STOP_TIMEOUT_MS = 20_000

export type ServerOptions = ({ readonly databasePath: string } | { readonly databaseUrl: string }) & {
  /** Of another version, with its node_modules; this one unless told. */
  readonly checkout?: string
  /** Flags for Node itself, such as --cpu-prof. */
  readonly nodeFlags?: readonly string[]
  /** Settings that the scenario is about. */
  readonly env?: Readonly<Record<string, string>>
}

/** `name{labels}` or `name` to its value; labels as they are printed. */
export type Metrics = ReadonlyMap<string, number>

export class DuetimeServer {
  readonly url: string
  /** From the start of the process until /readyz answered 200. */
  readonly startMs: number
  readonly #child: ChildProcess
  readonly #pool: Pool
  readonly #log: ServerLog

  static async start(options: ServerOptions): Promise<DuetimeServer> {
    const startedAt = performance.now()
    const { checkout = ROOT } = options
    const child = spawn(
      checkout === ROOT ? process.execPath : join(checkout, 'node_modules', '.bin', 'node'),
      [...(options.nodeFlags ?? []), builtProgram(checkout), 'serve'],
      {
        cwd: checkout,
        // Nothing of the caller's settings reaches the service: the bench measures the defaults.
        env: {
          PATH: process.env['PATH'],
          TMPDIR: process.env['TMPDIR'],
          PORT: '0',
          LOG_FORMAT: 'json',
          ...('databaseUrl' in options
            ? { DATABASE_URL: options.databaseUrl }
            : { TIMER_DB_PATH: options.databasePath }),
          ...options.env,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    killLater(child)
    const log = new ServerLog(child)
    const url = await log.listeningUrl()
    const pool = new Pool(url, { connections: 4 })
    await untilReady(pool)
    return new DuetimeServer({ child, pool, log }, url, performance.now() - startedAt)
  }

  private constructor(parts: { child: ChildProcess; pool: Pool; log: ServerLog }, url: string, startMs: number) {
    this.#child = parts.child
    this.#pool = parts.pool
    this.#log = parts.log
    this.url = url
    this.startMs = startMs
  }

  get pid(): number {
    return this.#child.pid!
  }

  get port(): number {
    return Number(new URL(this.url).port)
  }

  /** What it logged last, for when a scenario breaks. */
  lastWords(): string {
    return this.#log.last
  }

  cpuMs(): number {
    return cpuMs(this.pid)
  }

  residentBytes(): number {
    return residentBytes(this.pid)
  }

  async post(path: string, body: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
    const response = await this.#pool.request({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json', ...headers },
      body,
    })
    const text = await response.body.text()
    if (response.statusCode >= 300)
      throw new Error(`POST ${path} answered ${response.statusCode}: ${text.slice(0, 500)}`)
    return text
  }

  async metrics(): Promise<Metrics> {
    const response = await this.#pool.request({ method: 'GET', path: '/metrics' })
    const text = await response.body.text()
    const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    return new Map(
      lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
    )
  }

  /** Without a word, as a power failure would. */
  async kill(): Promise<void> {
    const exited = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await exited
    await this.#pool.destroy()
  }

  async stop(): Promise<void> {
    await this.#pool.destroy()
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const exited = once(this.#child, 'exit')
    this.#child.kill('SIGTERM')
    const timeout = setTimeout(() => this.#child.kill('SIGKILL'), STOP_TIMEOUT_MS)
    await exited
    clearTimeout(timeout)
  }
}

/** Sums a metric over its labels. */
export function total(metrics: Metrics, name: string): number {
  let sum = 0
  for (const [key, value] of metrics) if (key === name || key.startsWith(`${name}{`)) sum += value
  return sum
}

async function untilReady(pool: Pool): Promise<void> {
  for (const until = performance.now() + START_TIMEOUT_MS; performance.now() < until;) {
    const response = await pool.request({ method: 'GET', path: '/readyz' })
    await response.body.dump()
    if (response.statusCode === 200) return
  }
  throw new Error('the service listens but does not become ready')
}

/** What is shipped: Node would need 80 MiB more to run the sources. */
function builtProgram(checkout: string): string {
  const path = join(checkout, 'dist', 'main.js')
  if (!existsSync(path)) throw new Error(`${checkout} is not built: run npm ci or npm run build there`)
  return path
}
