// What a check found: how it stands, what that means, and what to do about it.

export type Standing = 'ok' | 'warn' | 'fail' | 'skip'

export type Finding = {
  readonly area: string
  readonly standing: Standing
  readonly message: string
  /** What to do; not where all is well. */
  readonly advice?: string
}

/** For the checks of one area. */
export class Findings {
  readonly #area: string
  readonly all: Finding[] = []

  constructor(area: string) {
    this.#area = area
  }

  ok(message: string): void {
    this.all.push({ area: this.#area, standing: 'ok', message })
  }

  skip(message: string): void {
    this.all.push({ area: this.#area, standing: 'skip', message })
  }

  warn(message: string, advice: string): void {
    this.all.push({ area: this.#area, standing: 'warn', message, advice })
  }

  fail(message: string, advice: string): void {
    this.all.push({ area: this.#area, standing: 'fail', message, advice })
  }
}

export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '' && error.errors.length > 0)
    return messageOf(error.errors[0])
  return error instanceof Error ? error.message : String(error)
}
