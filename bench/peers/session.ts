// One run of one system: a new database, the program on it, and a receiver of POSTs; everything is gone afterwards.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Helper } from '../harness/helper-process.ts'
import { cpuMs, residentBytes } from '../harness/process-usage.ts'
import type { ReceiverQuestion, ReceiverResult } from '../programs/receiver.ts'
import type { Question, Reply } from './program.ts'
import type { Database } from './places/place.ts'
import type { Settings } from './system.ts'
import type { Contestant } from './systems.ts'

const PROGRAM = new URL('./program.ts', import.meta.url)
const RECEIVER = new URL('../programs/receiver.ts', import.meta.url)
const BULK_STEP = 100_000 // of more, each step has a time limit of its own
const SETTLE_MS = 500 // after the last work, before idle is idle

export type SessionOptions = {
  readonly settings: Settings
  /** Between the last create of a burst and its time. */
  readonly leadMs: number
  /** How long after its time something may be done at the latest. */
  readonly lateMaxMs: number
}

export type Recovery = { readonly seconds: number | null; readonly missing: number; readonly twice: number }
export type Costs = { readonly perSecond: number; readonly cpuUs: number }

export class Session {
  readonly contestant: Contestant
  readonly #options: SessionOptions
  readonly #database: Database
  #program: Helper<Question, Reply>
  #receiver: { helper: Helper<ReceiverQuestion, ReceiverResult | null>; url: string } | null = null
  #isWorking = false

  static async open(contestant: Contestant, options: SessionOptions): Promise<Session> {
    const database = await contestant.place.open(options.settings)
    return new Session(contestant, options, database, await startProgram(contestant, options, database))
  }

  private constructor(
    contestant: Contestant,
    options: SessionOptions,
    database: Database,
    program: Helper<Question, Reply>,
  ) {
    this.contestant = contestant
    this.#options = options
    this.#database = database
    this.#program = program
  }

  async creates(durationMs: number): Promise<Costs> {
    const before = this.#cpuMs()
    const { perSecond, done } = await this.#program.ask({ do: 'creates', inFlight: 64, durationMs })
    return { perSecond: perSecond!, cpuUs: ((this.#cpuMs() - before) * 1_000) / done! }
  }

  async bulk(count: number): Promise<Costs> {
    const before = this.#cpuMs()
    let durationMs = 0
    for (let left = count; left > 0; left -= BULK_STEP)
      durationMs += (await this.#program.ask({ do: 'bulk', count: Math.min(left, BULK_STEP) })).durationMs!
    return { perSecond: (count * 1_000) / durationMs, cpuUs: ((this.#cpuMs() - before) * 1_000) / count }
  }

  /** So many that are due at one moment: how many a second are done from then on. */
  async burst(count: number, { byPost, bulkPerSecond }: { byPost: boolean; bulkPerSecond: number }): Promise<Costs> {
    const url = byPost ? await this.#receiverUrl() : null
    if (byPost) await this.#receiver!.helper.ask({ type: 'reset' })
    const dueAt = this.#dueAt(count, bulkPerSecond)
    await this.#program.ask({ do: 'bulk', count, dueAt, url })
    if (Date.now() > dueAt) throw new Error(`${this.contestant.name}: the burst was not stored in time`)
    await this.#work()
    await sleep(Math.max(dueAt - Date.now() - 100, 0))
    const before = this.#cpuMs()
    const endedAt = await this.#ended(count, byPost)
    return { perSecond: (count * 1_000) / (endedAt - dueAt), cpuUs: ((this.#cpuMs() - before) * 1_000) / count }
  }

  async lateness({ perSecond, durationMs, byPost }: { perSecond: number; durationMs: number; byPost: boolean }) {
    const url = byPost ? await this.#receiverUrl() : null
    await this.#work()
    if (byPost) await this.#receiver!.helper.ask({ type: 'reset' })
    const { done } = await this.#program.ask({ do: 'lateness', perSecond, durationMs, url })
    if (byPost) {
      const result = await this.#receiver!.helper.ask({
        type: 'result',
        count: done!,
        timeoutMs: this.#options.lateMaxMs,
      })
      if (this.contestant.isLibrary && !this.contestant.isDuetime) await this.#awaitDone(done!)
      return result!.latenessMs!
    }
    return (await this.#awaitDone(done!)).latenessMs!
  }

  /** CPU time of a timer's life in microseconds, at a steady rate; see `day` of the program. */
  async day(perSecond: number, durationMs: number): Promise<number> {
    await this.#work()
    const before = this.#cpuMs()
    const { done, toFire } = await this.#program.ask({ do: 'day', perSecond, durationMs })
    await this.#awaitDone(toFire!)
    return ((this.#cpuMs() - before) * 1_000) / done!
  }

  async idleCpu(durationMs: number): Promise<number> {
    await this.#work()
    await sleep(SETTLE_MS)
    const before = this.#cpuMs()
    await sleep(durationMs)
    return ((this.#cpuMs() - before) * 100) / durationMs
  }

  /**
   * A burst whose program or service is killed in the middle and started again: seconds from then until everything was done at
   * least once (null where that takes too long), how many were not done, and how many twice.
   */
  async recovery(count: number, withinMs: number, bulkPerSecond: number): Promise<Recovery> {
    const directory = mkdtempSync(join(tmpdir(), 'duetime-peers-done-'))
    const file = join(directory, 'done')
    writeFileSync(file, '')
    const ids = () => readFileSync(file, 'utf8').split('\n').filter(Boolean)
    try {
      const isService = !this.contestant.isLibrary
      const url = isService ? await this.#receiverUrl() : null
      if (isService) await this.#receiver!.helper.ask({ type: 'reset', file })
      const dueAt = this.#dueAt(count, bulkPerSecond)
      await this.#program.ask({ do: 'bulk', count, dueAt, url })
      await this.#program.ask({ do: 'work', file })
      const startedBy = dueAt + this.#options.lateMaxMs
      while (ids().length < count / 5 && Date.now() < startedBy) await sleep(5)
      const killedAt = performance.now()
      if (isService) await this.#database.killAndRestart!()
      else await this.#restartProgram(file)
      const isOver = () => new Set(ids()).size >= count
      while (!isOver() && performance.now() - killedAt < withinMs) await sleep(20)
      const seconds = isOver() ? (performance.now() - killedAt) / 1_000 : null
      await sleep(SETTLE_MS)
      const done = ids()
      const different = new Set(done).size
      return { seconds, missing: count - different, twice: done.length - different }
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  }

  diskBytes(): Promise<number> {
    return this.#database.diskBytes()
  }

  programBytes(): number {
    return residentBytes(this.#program.pid)
  }

  /** Of the service or server behind the program; 0 where it has none of its own. */
  serverBytes(): number {
    return this.#database.residentBytes()
  }

  /** Ends what is under way, with an error. */
  async abandon(): Promise<void> {
    await Promise.all([this.#program.kill(), this.#receiver?.helper.kill()])
  }

  async close(): Promise<void> {
    await this.#program.kill()
    await this.#receiver?.helper.stop()
    await this.#database.drop()
  }

  /** When something can be due that is stored first: twice the time that this should take, and some. */
  #dueAt(count: number, bulkPerSecond: number): number {
    return Date.now() + Math.round((count * 2_000) / bulkPerSecond) + this.#options.leadMs
  }

  async #restartProgram(file: string): Promise<void> {
    await this.#program.kill()
    this.#program = await startProgram(this.contestant, this.#options, this.#database)
    await this.#program.ask({ do: 'work', file })
    this.#isWorking = true
  }

  async #ended(count: number, byPost: boolean): Promise<number> {
    if (!byPost) return (await this.#awaitDone(count)).lastAt!
    const result = await this.#receiver!.helper.ask({ type: 'result', count, timeoutMs: this.#options.lateMaxMs })
    if (result!.count < count) throw new Error(`${this.contestant.name}: ${result!.count} of ${count} came`)
    return Date.now()
  }

  async #awaitDone(count: number): Promise<Reply> {
    const reply = await this.#program.ask({ do: 'await', count, timeoutMs: this.#options.lateMaxMs })
    if (reply.done! < count) throw new Error(`${this.contestant.name}: ${reply.done} of ${count} were done`)
    return reply
  }

  async #work(): Promise<void> {
    if (this.#isWorking) return
    this.#isWorking = true
    await this.#program.ask({ do: 'work' })
  }

  async #receiverUrl(): Promise<string> {
    if (this.#receiver === null) {
      const { helper, ready } = await Helper.start<ReceiverQuestion, ReceiverResult | null, { port: number }>(RECEIVER)
      this.#receiver = { helper, url: `http://127.0.0.1:${ready.port}/hook` }
    }
    return this.#receiver.url
  }

  /** Of the program, the service and the database; the receiver's is nobody's. */
  #cpuMs(): number {
    return cpuMs(this.#program.pid) + this.#database.cpuMs()
  }
}

async function startProgram(
  { module }: Contestant,
  { settings }: SessionOptions,
  { url }: Database,
): Promise<Helper<Question, Reply>> {
  const { helper } = await Helper.start<Question, Reply>(PROGRAM, { module, database: url, settings })
  return helper
}
