// One request and its whole answer, in the platform's way: `fetch` where there is nothing else.

import type { AbortSignalLike, MinimalFetch } from '../platform.ts'

export type Outgoing = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** Undefined: the request has none. */
  readonly body: string | undefined
}

export type Incoming = {
  readonly status: number
  /** By its lower-case name. */
  readonly header: (name: string) => string | null
  readonly text: string
}

/** Tells an exchange that nobody waits for it any more. */
export type Ending = {
  readonly signal: AbortSignalLike
  /** Called then; costs less than the signal. */
  onEnd: (() => void) | null
}

/** Rejects when there is no answer, or only a part of one, and when it was ended. */
export type Exchange = (request: Outgoing, ending: Ending) => Promise<Incoming>

export function fetchExchange(url: string, fetch: MinimalFetch): Exchange {
  return async ({ method, path, headers, body }, { signal }) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers,
      ...(body !== undefined && { body }),
      signal,
    })
    const text = await response.text()
    return { status: response.status, header: (name) => response.headers.get(name), text }
  }
}
