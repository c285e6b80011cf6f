import { DuetimeError, handler } from '@duetime/client'
import type { Duetime } from '@duetime/client'

type Order = { readonly orderId: string }

/** What the recipe needs of your shop. */
export type Shop = { isPaid(orderId: string): Promise<boolean>; cancelOrder(orderId: string): Promise<void> }

export function paymentTimeout(client: Duetime, shop: Shop, callbackUrl: string) {
  const timerOf = (orderId: string) => `payment-${orderId}`
  return {
    orderPlaced: (orderId: string) =>
      client.create<Order>({ id: timerOf(orderId), after: '30m', callbackUrl, payload: { orderId } }),

    /** False: the time was up before the payment came, and the order is being canceled. Give the money back. */
    orderPaid: async (orderId: string): Promise<boolean> => {
      try {
        await client.cancel(timerOf(orderId))
        return true
      } catch (error) {
        if (error instanceof DuetimeError && error.status === 409) return false
        throw error
      }
    },

    timeIsUp: handler<Order>(async ({ payload }) => {
      if (!(await shop.isPaid(payload.orderId))) await shop.cancelOrder(payload.orderId)
    }),
  }
}
