import { handler } from '@duetime/client'
import type { Duetime } from '@duetime/client'

type Change = { readonly document: string }

export function reindexer(client: Duetime, reindex: (document: string) => Promise<void>, callbackUrl: string) {
  return {
    /** However often it is saved: one call, five seconds after the last time, also if this process is gone by then. */
    saved: (document: string) =>
      client.create<Change>({ id: `reindex-${document}`, after: '5s', callbackUrl, payload: { document } }),

    quiet: handler<Change>(({ payload }) => reindex(payload.document)),
  }
}
