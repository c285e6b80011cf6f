// One run of one process on one machine. Everything that comes from outside enters here, and everything that goes out asks
// here first. A process that is dead gets no answer, ever, and what its promises still do reaches nobody: as after kill -9
// at that very await. A process that is stopped (frozen, or on a machine that is suspended) gets everything when it goes on.

import type { Scheduler } from './scheduler.ts'

/** One of its own each time: what waits for it must not be kept by the others. */
export function neverAnswered(): Promise<never> {
  return new Promise<never>(() => {})
}

export class Incarnation {
  /** Names this run in the store. */
  readonly name: string
  /** Where others reach the machine. */
  readonly address: string
  readonly #scheduler: Scheduler
  readonly #onDeath = new Set<() => void>()
  #isAlive = true
  #isStopped = false
  #waiting: (() => void)[] = []
  /** It dies when it is about to do this much more to the outside. */
  #effectsLeft = Infinity

  constructor(name: string, address: string, scheduler: Scheduler) {
    this.name = name
    this.address = address
    this.#scheduler = scheduler
  }

  get isAlive(): boolean {
    return this.#isAlive
  }

  get isStopped(): boolean {
    return this.#isStopped
  }

  /** Something from outside: a timeout, an answer, a message, a request. */
  enter(run: () => void): void {
    if (!this.#isAlive) return
    if (this.#isStopped) this.#waiting.push(run)
    else run()
  }

  /** Asked before anything goes out. False: it is dead, and nothing happens. */
  mayAct(): boolean {
    if (this.#isAlive && --this.#effectsLeft <= 0) this.die()
    return this.#isAlive
  }

  dieAfterEffects(count: number): void {
    this.#effectsLeft = count
  }

  die(): void {
    if (!this.#isAlive) return
    this.#isAlive = false
    this.#waiting = []
    for (const tell of this.#onDeath) tell()
  }

  /** Its connections break when it dies. */
  onDeath(tell: () => void): () => void {
    if (this.#isAlive) this.#onDeath.add(tell)
    else tell()
    return () => this.#onDeath.delete(tell)
  }

  stop(): void {
    this.#isStopped = true
  }

  /** What came meanwhile is there now, in order, each in a turn of its own. */
  goOn(): void {
    this.#isStopped = false
    for (const run of this.#waiting.splice(0)) this.#scheduler.after(0, () => this.enter(run))
  }
}
