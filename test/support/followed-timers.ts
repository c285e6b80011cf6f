// Timers that are changed again and again, whatever happens to the service meanwhile, with a note of every change that was
// acknowledged: each of those must show in the lifecycle events.

import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, Client, TimerJson } from './client.ts'
import { assertInOrder, firstTold, readLifecycle } from './lifecycle-events.ts'
import type { Told } from './lifecycle-events.ts'
import { eventually } from './eventually.ts'
import type { NatsClient } from './nats-client.ts'

const CHANGES_EACH = 20
const AHEAD = 0.1 // of the changes
const AGAIN_MS = 50
const FAR_MS = 3_600_000
const SOON = 'PT1S'

type Followed = { readonly id: string; readonly acknowledged: number[]; version: number }

export class FollowedTimers {
  readonly changes: number
  readonly #client: Client
  readonly #timers: Followed[]
  #running: Promise<unknown> = Promise.resolve()
  #done = 0
  #doneMax = 0

  constructor(client: Client, count: number) {
    this.#client = client
    this.changes = count * CHANGES_EACH
    this.#timers = Array.from({ length: count }, (_, n) => ({ id: `followed-${n}`, acknowledged: [], version: 0 }))
  }

  /** One change of a timer after the other, all timers side by side, as far as `reached` and `finish` let them go. */
  start(): void {
    this.#running = Promise.all(this.#timers.map((timer) => this.#runOne(timer)))
    this.#running.catch(() => {}) // told by `finish`
  }

  /** Resolves when so many changes were made. They go on meanwhile, but not to the end: what comes next is to meet them. */
  async reached(share: number): Promise<void> {
    this.#doneMax = Math.floor((share + AHEAD) * this.changes)
    await eventually(`${share} of the changes`, () => this.#done >= share * this.changes, { withinMs: 90_000 })
  }

  async finish(): Promise<void> {
    this.#doneMax = Infinity
    await this.#running
  }

  /** Everything that was acknowledged has its event, in order per timer, and nothing is told that is not so. */
  async assertTold(nats: NatsClient): Promise<{ events: number; again: number }> {
    const events = await eventually('every change is told', () => this.#whole(nats), { withinMs: 60_000 })
    const timers = firstTold(events)
    assertInOrder(timers)
    for (const { id, acknowledged } of this.#timers) {
      const versions = new Set((timers.get(id) ?? []).map(({ body }) => Number(body.data['version'])))
      for (const version of acknowledged)
        assert.ok(versions.has(version), `version ${version} of ${id} was acknowledged and never told`)
      this.#assertWhole(id, timers.get(id)!)
    }
    const different = timers.values().reduce((sum, { length }) => sum + length, 0)
    return { events: different, again: events.length - different }
  }

  /** A version without an event is a change that got lost, acknowledged or not; but for the mark of a delivery that takes long. */
  #assertWhole(id: string, told: readonly Told[]): void {
    let version = 0
    for (const { type, body } of told) {
      const step = Number(body.data['version']) - version
      assert.ok(
        step <= 1 || (step === 2 && type === 'fired'),
        `${id} goes from version ${version} to ${version + step}`,
      )
      version += step
    }
    assert.deepEqual(
      told.slice(-2).map(({ type }) => type),
      ['fired', 'completed'],
      id,
    )
  }

  async #whole(nats: NatsClient): Promise<Told[] | null> {
    const events = await readLifecycle(nats)
    const completed = new Set(events.filter(({ type }) => type === 'completed').map(({ body }) => body.subject))
    if (completed.size < this.#timers.length) await sleep(AGAIN_MS)
    return completed.size === this.#timers.length ? events : null
  }

  async #runOne(timer: Followed): Promise<void> {
    const name = { timerId: timer.id }
    const callback = { type: 'nats', topic: 'followed.done' }
    const retryPolicy = { maxRetries: 100, initialInterval: '100ms', multiplier: 1 }
    const request = { id: timer.id, executeAt: inMs(FAR_MS), callback, retryPolicy, onConflict: 'keep' }
    await this.#change(timer, () => this.#client.create(request))
    for (let n = 2; n < CHANGES_EACH; n++) await this.#change(timer, () => this.#client.update(name, { payload: n }))
    await this.#change(timer, () => this.#client.update(name, { schedule: SOON }))
  }

  /** Until it is known to be stored. What was answered is acknowledged; what was not is looked up. */
  async #change(timer: Followed, act: () => Promise<Answer<TimerJson>>): Promise<void> {
    while (this.#done >= this.#doneMax) await sleep(AGAIN_MS)
    for (;;) {
      const answer = await act()
      if (answer.type === 'ok') {
        timer.acknowledged.push(answer.body.version)
        timer.version = answer.body.version
        break
      }
      if (answer.type === 'refused' && answer.status !== 503) throw new Error(`refused: ${JSON.stringify(answer.body)}`)
      if (answer.type !== 'notSent' && (await this.#isStored(timer))) break
      await sleep(AGAIN_MS)
    }
    this.#done++
  }

  async #isStored(timer: Followed): Promise<boolean> {
    const answer = await eventually(
      'an answer',
      async () => {
        const asked = await this.#client.get({ timerId: timer.id })
        if (asked.type === 'ok' || (asked.type === 'refused' && asked.status === 404)) return asked
        await sleep(AGAIN_MS)
        return null
      },
      { withinMs: 60_000 },
    )
    const version = answer.type === 'ok' ? answer.body.version : 0
    const isStored = version > timer.version
    timer.version = version
    return isStored
  }
}

function inMs(ms: number): string {
  return new Date(Date.now() + ms).toISOString()
}
