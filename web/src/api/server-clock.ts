// The service's clock as this page can know it: countdowns run by it, since the viewer's own may be minutes off.
// Answers that carry `now` to the millisecond tell it best; the Date header of any answer will do until then.

const DATE_GRAIN_MS = 500 // a Date header is cut to the second: half of one, on the average

type Exchange = { /** Of the viewer's clock, as is `arrivedAt`. */ readonly sentAt: number; readonly arrivedAt: number }

export class ServerClock {
  readonly #viewersNow: () => number
  #offsetMs = 0
  #uncertaintyMs = Infinity

  constructor(viewersNow: () => number = Date.now) {
    this.#viewersNow = viewersNow
  }

  now(): number {
    return this.#viewersNow() + this.#offsetMs
  }

  /** Of an answer that carries `now`. */
  async learnFrom<Answer extends { readonly now: string }>(ask: () => Promise<Answer>): Promise<Answer> {
    const sentAt = this.#viewersNow()
    const answer = await ask()
    this.note(answer.now, { sentAt, arrivedAt: this.#viewersNow() })
    return answer
  }

  /** `now` of an answer. */
  note(now: string, { sentAt, arrivedAt }: Exchange): void {
    this.#learn(Date.parse(now) - (sentAt + arrivedAt) / 2, (arrivedAt - sentAt) / 2)
  }

  noteDate(header: string | null, { sentAt, arrivedAt }: Exchange): void {
    const at = header === null ? Number.NaN : Date.parse(header)
    if (!Number.isNaN(at))
      this.#learn(at + DATE_GRAIN_MS - (sentAt + arrivedAt) / 2, DATE_GRAIN_MS + (arrivedAt - sentAt) / 2)
  }

  /** The surer observation counts, unless both cannot be right: then a clock was set, and the newer one does. */
  #learn(offsetMs: number, uncertaintyMs: number): void {
    const contradicts = Math.abs(offsetMs - this.#offsetMs) > uncertaintyMs + this.#uncertaintyMs
    if (uncertaintyMs > this.#uncertaintyMs && !contradicts) return
    this.#offsetMs = offsetMs
    this.#uncertaintyMs = uncertaintyMs
  }
}

export const serverClock = new ServerClock()
