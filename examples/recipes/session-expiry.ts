import { handler } from '@duetime/client'
import type { Duetime } from '@duetime/client'

type Session = { readonly sessionId: string }

export function sessions(client: Duetime, end: (sessionId: string) => Promise<void>, callbackUrl: string) {
  return {
    /** On every request of the user. The same id takes the place of the timer before it, so the session lasts 20 minutes longer. */
    touched: (sessionId: string) =>
      client.create<Session>({ id: `session-${sessionId}`, after: '20m', callbackUrl, payload: { sessionId } }),

    signedOut: (sessionId: string) => client.cancel(`session-${sessionId}`),

    expired: handler<Session>(({ payload }) => end(payload.sessionId)),
  }
}
