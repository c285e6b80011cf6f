// What to do about a failure of a database, for whoever reads the error.

export type Advice = { readonly advice: string; readonly retryable: boolean }

/** It may go away by itself, or with what the advice says. */
export function passing(advice: string): Advice {
  return { advice, retryable: true }
}

/** Only a person can change it. */
export function lasting(advice: string): Advice {
  return { advice, retryable: false }
}

export function withAdvice(advice: string | null | undefined, detail: string): string {
  return advice === null || advice === undefined ? detail : `${advice} (${detail})`
}
