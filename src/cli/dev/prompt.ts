// The prompt of `duetime dev`: lines in, answers out, and what arrives meanwhile above the line that is being typed.

import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { DuetimeError } from '../../core/errors.ts'
import type { Millis } from '../../core/timer/timer.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import { fromNow, lengthText } from '../output/readable-time.ts'
import { table } from '../output/table.ts'
import type { Paint } from '../command/terminal.ts'
import type { DevClock, Move } from './dev-clock.ts'

export type ListedTimer = {
  readonly id: string
  readonly status: string
  readonly executeAt: string
  readonly nextAttemptAt?: string
  readonly schedule?: string
}

export type PromptOptions = {
  readonly input: Readable
  readonly output: Writable
  readonly paint: Paint
  readonly clock: DevClock
  /** Real time, to say now and then how far a long move has come. */
  readonly watch: Pick<Clock, 'monotonic'>
  readonly list: (namespace: string) => Promise<readonly ListedTimer[]>
  readonly onQuit: () => void
}

const PROMPT = 'duetime> '
const PROGRESS_EVERY_MS = 1_000
const CLEAR_LINE = '\r\u001B[K'

export class Prompt {
  readonly #options: PromptOptions
  readonly #lines: ReturnType<typeof createInterface>
  readonly #isTerminal: boolean
  #busy: Promise<void> = Promise.resolve()
  #moving: AbortController | null = null
  #isClosed = false

  constructor(options: PromptOptions) {
    this.#options = options
    this.#isTerminal = (options.output as { isTTY?: boolean }).isTTY === true
    const { input, output } = options
    this.#lines = createInterface({ input, output, prompt: PROMPT, terminal: this.#isTerminal, completer: complete })
    this.#lines.on('line', (line) => this.#take(line))
    this.#lines.on('SIGINT', () => this.#interrupt())
    this.#lines.on('close', () => {
      if (this.#isClosed) return
      this.#isClosed = true
      if (this.#isTerminal) options.output.write('\n')
      options.onQuit()
    })
  }

  start(): void {
    this.#ask()
  }

  /** Not because somebody at the prompt wants it. */
  close(): void {
    this.#isClosed = true
    this.#moving?.abort()
    this.#lines.close()
  }

  /** Above the line that is being typed, which stays. */
  print(text: string): void {
    const { output } = this.#options
    if (this.#isTerminal) output.write(CLEAR_LINE)
    output.write(text)
    if (this.#isTerminal && this.#moving === null && !this.#isClosed) this.#lines.prompt(true)
  }

  /** One line at a time, in order. */
  #take(line: string): void {
    this.#busy = this.#busy.then(async () => {
      try {
        await this.#obey(line.trim())
      } catch (error) {
        if (!(error instanceof DuetimeError)) throw error
        this.print(`${this.#options.paint('red', error.message)}\n`)
      }
      this.#ask()
    })
  }

  #ask(): void {
    if (!this.#isClosed) this.#lines.prompt()
  }

  async #obey(line: string): Promise<void> {
    const [word = '', ...rest] = line.split(/\s+/)
    switch (word.toLowerCase()) {
      case '':
        return
      case 'advance':
      case 'a':
        return this.#advance(rest.join(' '))
      case 'now':
        return this.print(`${this.#nowText()}\n`)
      case 'list':
      case 'ls':
        return this.#list(rest[0] ?? 'default')
      case 'help':
      case '?':
        return this.print(HELP)
      case 'quit':
      case 'exit':
      case 'q':
        return this.#lines.close()
      default:
        this.print(`There is no command ${word}.\n${HELP}`)
    }
  }

  async #advance(by: string): Promise<void> {
    if (by === '')
      return this.print('By how much? advance 90s, advance 1h30m, advance 3d, advance 2026-12-24T18:00:00Z\n')
    const { clock, watch } = this.#options
    this.#moving = new AbortController()
    let shownAt = watch.monotonic()
    const onProgress = (now: Millis, deliveries: number) => {
      if (watch.monotonic() - shownAt < PROGRESS_EVERY_MS) return
      shownAt = watch.monotonic()
      this.print(`… ${iso(now)}, ${deliveriesText(deliveries)} so far; Ctrl-C stops here\n`)
    }
    const options = { onProgress, signal: this.#moving.signal }
    try {
      const move = await (/^\d{4}-/.test(by) ? clock.advanceTo(by, options) : clock.advanceBy(by, options))
      this.print(`${this.#nowText()} ${moveText(move)}\n`)
    } finally {
      this.#moving = null
    }
  }

  async #list(namespace: string): Promise<void> {
    const { clock, paint, list } = this.#options
    const timers = await list(namespace)
    if (timers.length === 0) return this.print(`No timers in namespace ${namespace}.\n`)
    const rows = timers.map(({ id, status, executeAt, nextAttemptAt, schedule = '' }) => {
      const at = Date.parse(nextAttemptAt ?? executeAt)
      return [id, status, nextAttemptAt ?? executeAt, fromNow(at, clock.now()), schedule]
    })
    const columns = ['ID', 'STATUS', 'DUE', '', 'SCHEDULE'].map((title) => ({ title }))
    this.print(table(columns, rows, { columns: null, paint }))
  }

  #interrupt(): void {
    if (this.#moving === null) this.#lines.close()
    else this.#moving.abort()
  }

  #nowText(): string {
    const { clock } = this.#options
    const { aheadText } = clock
    return `It is ${iso(clock.now())}, ${aheadText === null ? 'as everywhere' : `${aheadText} ahead of the real time`}.`
  }
}

function moveText({ deliveries, remainingMs }: Move): string {
  const made = deliveriesText(deliveries)
  if (remainingMs > 0)
    return `Stopped after ${made}, ${lengthText(remainingMs)} before the end: advance again to go on.`
  return deliveries === 0 ? 'Nothing was due on the way.' : `${made} on the way.`
}

function deliveriesText(deliveries: number): string {
  return deliveries === 1 ? '1 delivery' : `${deliveries} deliveries`
}

function iso(at: Millis): string {
  return new Date(at).toISOString()
}

const WORDS = ['advance ', 'now', 'list', 'help', 'quit']

function complete(line: string): [string[], string] {
  const found = WORDS.filter((word) => word.startsWith(line))
  return [found.length > 0 ? found : WORDS, line]
}

const HELP = `  advance 3d         move the clock forward; what is due on the way fires at its time (90s, 1h30m, 2w, P1M, or an instant)
  now                what time it is here
  list [namespace]   the timers, next ones first
  quit               stop; Ctrl-C and Ctrl-D do the same
`
