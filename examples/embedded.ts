import { openDuetime } from 'duetime'

type Invoice = { customer: string; amount: number }

const timers = await openDuetime({ database: './timers.db' })

timers.handle<Invoice>('invoices', async ({ id, payload, attempt }) => {
  console.log(`${id}: remind ${payload.customer} of ${payload.amount} € (attempt ${attempt})`)
})

await timers.create({ namespace: 'invoices', id: 'invoice-42', after: '3s', payload: { customer: 'Ada', amount: 25 } })
