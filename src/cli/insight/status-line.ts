// The last line of a terminal, rewritten in place, under lines that stay. Where nobody looks only what changes the
// situation is said.

import type { Terminal } from '../command/terminal.ts'
import { cut } from '../output/visible-text.ts'

const ERASE_LINE = '\r\u001B[K'

export class StatusLine {
  readonly #terminal: Terminal
  /** Null where nobody looks. */
  readonly #columns: number | null
  #text = ''

  constructor(terminal: Terminal) {
    this.#terminal = terminal
    this.#columns = process.stderr.isTTY ? terminal.columns : null
  }

  /** How things are at the moment. */
  show(text: string): void {
    const { err, paint } = this.#terminal
    if (this.#columns === null) return
    this.#text = cut(text, this.#columns - 1)
    err(`${ERASE_LINE}${paint('dim', this.#text)}`)
  }

  /** A change of the situation. */
  say(text: string): void {
    if (this.#columns === null) this.#terminal.err(`${text}\n`)
    else this.show(text)
  }

  /** A line that stays. */
  print(line: string): void {
    const { out, err, paint } = this.#terminal
    if (this.#columns === null) return out(line)
    err(ERASE_LINE)
    out(line)
    err(paint('dim', this.#text))
  }

  end(): void {
    if (this.#columns !== null) this.#terminal.err(ERASE_LINE)
  }
}
