// The one client of this page: the SDK, at the address that the page came from, with the viewer's key.

import { Duetime } from '@duetime/client'
import { session } from '../session/session.ts'
import { serverClock } from './server-clock.ts'

const PATIENCE_MS = 30_000 // a test delivery takes up to 10 s, and a batch of an import has to be stored

export const duetime = new Duetime({
  // Relative to the page's own address, so that a proxy may put the service under any prefix.
  url: new URL('.', document.baseURI).href,
  apiKey: () => session.key,
  timeoutMs: PATIENCE_MS,
  attemptTimeoutMs: PATIENCE_MS,
  // Somebody looks: what went wrong shows at once, and what is shown is asked for again anyway.
  retries: 0,
  fetch: send,
})

/** Every answer tells the service's time, and some that the key is not good. */
async function send(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const sentAt = Date.now()
  const response = await fetch(input, { ...init, cache: 'no-store' })
  serverClock.noteDate(response.headers.get('date'), { sentAt, arrivedAt: Date.now() })
  if (response.status === 401) session.refused(new Headers(init?.headers).get('x-api-key'))
  return response
}

/** Whoever asked went away. */
export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError'
}
