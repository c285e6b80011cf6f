// The service's clock as this page can know it: countdowns run by it, since the viewer's own may be minutes off.
// Answers that carry `now` to the millisecond tell it best; the Date header of any answer will do until then.

const DATE_GRAIN_MS = 500 // a Date header is cut to the second: half of one, on the average

class ServerClock {
  #offsetMs = 0
  #uncertaintyMs = Infinity

  now(): number {
    return Date.now() + this.#offsetMs
  }

  /** `now` of an answer that was asked for and arrived at these times of the viewer's clock. */
  note(now: string | number, sentAt: number, arrivedAt: number): void {
    const at = typeof now === 'number' ? now : Date.parse(now)
    this.#learn(at - (sentAt + arrivedAt) / 2, (arrivedAt - sentAt) / 2)
  }

  noteDate(header: string | null, sentAt: number, arrivedAt: number): void {
    const at = header === null ? Number.NaN : Date.parse(header)
    if (Number.isNaN(at)) return
    this.#learn(at + DATE_GRAIN_MS - (sentAt + arrivedAt) / 2, DATE_GRAIN_MS + (arrivedAt - sentAt) / 2)
  }

  /** A surer observation replaces a less sure one. A Date header that agrees within its grain says nothing new. */
  #learn(offsetMs: number, uncertaintyMs: number): void {
    const agrees = Math.abs(offsetMs - this.#offsetMs) <= uncertaintyMs
    if (agrees && uncertaintyMs >= this.#uncertaintyMs) return
    if (uncertaintyMs > this.#uncertaintyMs && Math.abs(offsetMs - this.#offsetMs) < uncertaintyMs + this.#uncertaintyMs) return
    this.#offsetMs = uncertaintyMs === Infinity ? 0 : offsetMs
    this.#uncertaintyMs = uncertaintyMs
  }
}

export const serverClock = new ServerClock()
