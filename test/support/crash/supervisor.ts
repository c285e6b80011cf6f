// Keeps a service running on one directory and kills it on demand, while clients wait for it to come back.

import type { Environment } from '../service.ts'
import { Service } from '../service.ts'
import { eventually } from '../eventually.ts'
import type { Kill } from './history.ts'

export class Supervisor {
  readonly kills: Kill[] = []
  /** From the start of the process until /readyz said yes, for each start that got so far. */
  readonly readyMs: number[] = []
  /** Every process there was, for what it logged. */
  readonly lives: Service[] = []
  readonly #place: { readonly cwd: string; readonly env: Environment }
  #service: Service | null = null
  #isUp = false
  #up = Promise.withResolvers<void>()

  constructor(place: { cwd: string; env: Environment }) {
    this.#place = place
  }

  get service(): Service {
    if (this.#service === null) throw new Error('the service was never started')
    return this.#service
  }

  /** Resolves when clients may send requests. */
  get up(): Promise<void> {
    return this.#up.promise
  }

  spawn(): Service {
    this.#service = new Service(this.#place)
    this.lives.push(this.#service)
    return this.#service
  }

  /** Resolves when the service is ready, and lets the clients go on. */
  async start(): Promise<void> {
    const service = this.spawn()
    await service.listening
    await eventually('the service is ready', async () => (await fetch(`${service.url}/readyz`)).ok)
    this.readyMs.push(Date.now() - service.spawnedAt)
    this.#isUp = true
    this.#up.resolve()
  }

  async kill(): Promise<void> {
    const sentAt = Date.now()
    const gone = this.service.kill()
    // Clients that wait already go on waiting for the same promise: a service that dies while starting never was up.
    if (this.#isUp) this.#up = Promise.withResolvers()
    this.#isUp = false
    await gone
    this.kills.push({ sentAt, goneAt: Date.now() })
  }

  /** What the service complained about, and how often. */
  complaints(): Map<string, number> {
    const counts = new Map<string, number>()
    for (const { msg, level, err } of this.lives.flatMap(({ logs }) => logs)) {
      if (!isComplaint(level)) continue
      const cause = typeof err === 'object' && err !== null && 'message' in err ? `: ${String(err.message)}` : ''
      counts.set(msg + cause, (counts.get(msg + cause) ?? 0) + 1)
    }
    return counts
  }
}

function isComplaint(level: unknown): boolean {
  return typeof level === 'number' ? level >= 40 : level === 'warn' || level === 'error' || level === 'fatal'
}
