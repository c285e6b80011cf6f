// One line that fills up, for someone who waits; in a script's log it would be noise, so it is drawn on terminals only.

import type { Clock } from '../../runtime/clock/clock.ts'

export type Screen = { readonly isTTY: boolean; write(text: string): unknown }

const WIDTH = 24
const REDRAW_MS = 100
const ERASE_LINE = '\r\u001B[K'

export class ProgressBar {
  readonly #title: string
  readonly #clock: Clock
  readonly #screen: Screen
  readonly #startedAt: number
  #drawnAt = -Infinity

  constructor(title: string, clock: Clock, screen: Screen = process.stderr) {
    this.#title = title
    this.#clock = clock
    this.#screen = screen
    this.#startedAt = clock.monotonic()
  }

  update(done: number, total: number): void {
    const now = this.#clock.monotonic()
    if (!this.#screen.isTTY || (now - this.#drawnAt < REDRAW_MS && done < total)) return
    this.#drawnAt = now
    this.#screen.write(ERASE_LINE + this.#line(done, total, (now - this.#startedAt) / 1_000))
  }

  /** Takes the line away, whatever came of it. */
  end(): void {
    if (this.#screen.isTTY) this.#screen.write(ERASE_LINE)
  }

  #line(done: number, total: number, seconds: number): string {
    const share = total === 0 ? 1 : done / total
    const filled = Math.floor(share * WIDTH)
    const bar = '█'.repeat(filled) + '░'.repeat(WIDTH - filled)
    const left = done === 0 || done === total ? '' : `, ${lasting((seconds / done) * (total - done))} left`
    return `${this.#title} ${bar} ${Math.floor(share * 100)}% of ${counted(total)} timers${left}`
  }
}

/** 1234567 as 1,234,567. */
export function counted(count: number): string {
  return count.toLocaleString('en')
}

export function timersText(count: number): string {
  return `${counted(count)} ${count === 1 ? 'timer' : 'timers'}`
}

function lasting(seconds: number): string {
  const whole = Math.ceil(seconds)
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`
}
