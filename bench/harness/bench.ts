// What every scenario is given: how large a run to make, databases to make it on, and a way to stop what it starts.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Measurement } from '../report/measurement.ts'
import type { Picture } from '../report/picture.ts'
import { DuetimeServer } from './duetime-server.ts'
import type { ServerOptions } from './duetime-server.ts'
import { Helper } from './helper-process.ts'
import { BenchPostgres } from './postgres.ts'
import { StoredTimers } from './stored-timers.ts'

export type Scenario = {
  readonly name: string
  readonly run: (bench: Bench) => Promise<readonly Measurement[]>
  /** Where its results go when they are not part of the main run, in which case it is only run when it is named. */
  readonly apart?: {
    readonly results: string
    readonly picture: Picture
    /** Writes the figures into the documentation. */
    readonly page?: (...drawn: Parameters<Picture>) => void
  }
}

export class Bench {
  readonly #quick: boolean
  readonly #directory: string
  readonly #stored: StoredTimers
  readonly #log: (text: string) => void
  readonly #running = new Set<{ stop(): Promise<void> }>()
  readonly #databases = new Set<object>()
  failures = 0

  constructor({ quick, log }: { quick: boolean; log: (text: string) => void }) {
    this.#quick = quick
    this.#log = log
    this.#directory = mkdtempSync(join(tmpdir(), 'duetime-bench-'))
    process.once('exit', () => this.#removeFiles())
    this.#stored = new StoredTimers(this.#directory, log)
  }

  /** Each round measures the raw limit and the service, one after the other. When there are several, the first does not count. */
  get rounds(): number {
    return this.#quick ? 1 : 4
  }

  /** A quick run shows that everything works; its figures are not worth keeping. */
  durationMs(fullMs: number): number {
    return this.#quick ? Math.min(Math.max(fullMs / 5, 1_000), 2_000) : fullMs
  }

  timers(full: number): number {
    return this.#quick ? Math.ceil(full / 20) : full
  }

  /** The path of a database of one's own, with so many timers stored whose time is far away. */
  database(timers: number): Promise<string> {
    return this.#stored.copy(timers)
  }

  async duetime(options: ServerOptions): Promise<DuetimeServer> {
    return this.#remember(await DuetimeServer.start(options))
  }

  /** A server for this scenario. */
  async postgres(): Promise<BenchPostgres> {
    return this.stopLater(await BenchPostgres.start(this.#log))
  }

  async helper<Question, Reply, Ready = unknown>(
    program: URL,
    setup?: object,
  ): Promise<{ helper: Helper<Question, Reply>; ready: Ready }> {
    const started = await Helper.start<Question, Reply, Ready>(program, setup)
    this.#remember(started.helper)
    return started
  }

  /** Stopped with all else that runs, after those that may use it. */
  stopLater<T extends { stop(): Promise<void> }>(server: T): T {
    this.#databases.add(server)
    return this.#remember(server)
  }

  /** What the services that are still running logged last. */
  lastWords(): string {
    return Array.from(this.#running, (one) => (one instanceof DuetimeServer ? one.lastWords() : '')).join('')
  }

  progress(text: string): void {
    this.#log(text)
  }

  /** Something that a scenario could not measure, while it goes on with the rest. */
  failed(text: string): void {
    this.failures++
    this.#log(text)
  }

  /** Stops what a scenario left running; the next one has the machine to itself. */
  async stopAll(): Promise<void> {
    const running = [...this.#running]
    const isDatabase = (one: object) => this.#databases.has(one)
    await Promise.all(running.filter((one) => !isDatabase(one)).map((one) => one.stop()))
    await Promise.all(running.filter(isDatabase).map((one) => one.stop()))
    this.#running.clear()
    this.#databases.clear()
    this.#stored.removeCopies()
  }

  close(): void {
    this.#removeFiles()
  }

  #remember<T extends { stop(): Promise<void> }>(one: T): T {
    this.#running.add(one)
    return one
  }

  #removeFiles(): void {
    rmSync(this.#directory, { recursive: true, force: true })
  }
}
