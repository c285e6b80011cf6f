// Reads by id from any node see the last acknowledged write, whatever happens meanwhile: changes timers that are far from
// due through one node, and reads them at another.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../client.ts'
import type { SeededRandom } from '../seeded-random.ts'

const TIMERS = 24
const PAUSE_MS = 25
const FAR_MS = 3_600_000

type Seen = { revision: number; acknowledged: number }

export class ReadProbe {
  readonly violations: string[] = []
  reads = 0
  readonly #client: Client
  readonly #random: SeededRandom
  readonly #callbackUrl: string
  readonly #timers = Array.from({ length: TIMERS }, (): Seen => ({ revision: 0, acknowledged: 0 }))
  #running = true

  constructor(options: { client: Client; random: SeededRandom; callbackUrl: string }) {
    this.#client = options.client
    this.#random = options.random
    this.#callbackUrl = options.callbackUrl
  }

  get ids(): string[] {
    return this.#timers.map((_, index) => `probe-${index}`)
  }

  async run(): Promise<void> {
    while (this.#running) {
      await this.#writeAndRead(this.#random.between(0, TIMERS - 1))
      await sleep(PAUSE_MS)
    }
  }

  finish(): void {
    this.#running = false
  }

  async #writeAndRead(index: number): Promise<void> {
    const seen = this.#timers[index]!
    const id = `probe-${index}`
    const payload = { revision: ++seen.revision }
    const answer =
      seen.acknowledged === 0
        ? await this.#client.create({
            id,
            callbackUrl: this.#callbackUrl,
            executeAt: new Date(Date.now() + FAR_MS).toISOString(),
            payload,
          })
        : await this.#client.update({ timerId: id }, { payload })
    if (answer.type === 'ok') seen.acknowledged = payload.revision
    else if (answer.type === 'refused')
      this.violations.push(`${id}: a write was refused with ${answer.status} ${answer.body.error}`)
    const read = await this.#client.get({ timerId: id })
    const { acknowledged } = seen
    if (read.type === 'refused' && read.status === 404 && acknowledged > 0)
      this.violations.push(`${id} is not known, but was acknowledged`)
    if (read.type !== 'ok') return
    this.reads++
    const { revision } = read.body.payload as { revision: number }
    if (revision < acknowledged)
      this.violations.push(`${id} was read as of revision ${revision}, after ${acknowledged} was acknowledged`)
  }
}
