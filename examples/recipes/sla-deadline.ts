import { handler } from '@duetime/client'
import type { Duetime, DurationText } from '@duetime/client'

type Deadline = { readonly ticket: string; readonly kind: 'warning' | 'breach' }

export function slaDeadlines(
  client: Duetime,
  escalate: (ticket: string, kind: Deadline['kind']) => Promise<void>,
  callbackUrl: string,
) {
  const deadline = (ticket: string, kind: Deadline['kind'], after: DurationText) => {
    return {
      id: `${ticket}-${kind}`,
      namespace: 'sla',
      after,
      callbackUrl,
      payload: { ticket, kind },
      metadata: { ticket },
    }
  }
  return {
    /** Both in one request, stored in one commit. */
    opened: (ticket: string) => client.batch([deadline(ticket, 'warning', '3h'), deadline(ticket, 'breach', '4h')]),

    /** Whatever is left of them, found by their metadata. */
    solved: (ticket: string) => client.cancelMany({ namespace: 'sla', metadataKey: 'ticket', metadataValue: ticket }),

    /** While the ticket waits for the customer nothing fires; then we have two hours again. */
    waitingForCustomer: (ticket: string) => client.pause({ id: `${ticket}-breach`, namespace: 'sla' }),
    customerAnswered: async (ticket: string) => {
      await client.update({ id: `${ticket}-breach`, namespace: 'sla' }, { after: '2h' })
      await client.resume({ id: `${ticket}-breach`, namespace: 'sla' })
    },

    due: handler<Deadline>(({ payload }) => escalate(payload.ticket, payload.kind)),
  }
}
