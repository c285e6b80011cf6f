import { handler, reschedule } from '@duetime/client'
import type { Duetime } from '@duetime/client'

type Invoice = { readonly customer: string; readonly sentAt: string }

const DAY_MS = 86_400_000
const REMIND_AFTER_DAYS = [1, 3, 7, 14]

export function reminders(
  client: Duetime,
  send: (customer: string, nth: number) => Promise<void>,
  callbackUrl: string,
) {
  return {
    invoiceSent: (id: string, customer: string, sentAt: Date) =>
      client.create<Invoice>({
        id,
        namespace: 'reminders',
        at: dayAfter(sentAt, 0),
        callbackUrl,
        payload: { customer, sentAt: sentAt.toISOString() },
      }),

    invoicePaid: (id: string) => client.cancel({ id, namespace: 'reminders' }),

    /** One timer is enough for all of them: each answer says when to come back. */
    remind: handler<Invoice>(async ({ executeAt, payload }) => {
      const sentAt = new Date(payload.sentAt)
      const nth = REMIND_AFTER_DAYS.findIndex((_, index) => dayAfter(sentAt, index).getTime() === Date.parse(executeAt))
      await send(payload.customer, nth + 1)
      if (nth + 1 < REMIND_AFTER_DAYS.length) return reschedule(dayAfter(sentAt, nth + 1))
    }),
  }
}

function dayAfter(sentAt: Date, index: number): Date {
  return new Date(sentAt.getTime() + REMIND_AFTER_DAYS[index]! * DAY_MS)
}
