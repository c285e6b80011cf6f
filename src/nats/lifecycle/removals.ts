// Takes published events out of the store without anybody waiting for it: one call at a time, and what is published
// meanwhile goes with the next one. Until it has happened a crash only means that some are published again.

const WAITING_MAX = 20_000 // numbers; beyond that publishing waits, or a slow store would be flooded by a fast broker

export class Removals {
  readonly #remove: (numbers: readonly number[]) => Promise<void>
  readonly #onFailure: () => void
  #waiting: number[] = []
  #underWay: Promise<void> | null = null
  #failure: Error | null = null

  constructor(remove: (numbers: readonly number[]) => Promise<void>, onFailure: () => void) {
    this.#remove = remove
    this.#onFailure = onFailure
  }

  /** Resolves when there is room for more, which is at once as a rule. Rejects when one before has failed. */
  async add(numbers: readonly number[]): Promise<void> {
    this.#throwFailure()
    for (const number of numbers) this.#waiting.push(number)
    if (this.#waiting.length > 0) this.#underWay ??= this.#run()
    if (this.#waiting.length > WAITING_MAX) await this.settled()
  }

  /** Resolves when everything is gone that was added. Rejects, once, when something could not be removed. */
  async settled(): Promise<void> {
    await this.#underWay
    this.#throwFailure()
  }

  #throwFailure(): void {
    const failure = this.#failure
    this.#failure = null
    if (failure !== null) throw failure
  }

  async #run(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        const numbers = this.#waiting
        this.#waiting = []
        await this.#remove(numbers)
      }
    } catch (error) {
      // They are in the store still, and will be met there again.
      this.#waiting = []
      this.#failure = error as Error
      this.#onFailure()
    } finally {
      this.#underWay = null
    }
  }
}
