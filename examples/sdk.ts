import { createServer } from 'node:http'
import { Duetime } from '@duetime/client'
import { nodeHandler } from '@duetime/client/node'

type Order = { orderId: number }

const { DUETIME_URL = 'http://localhost:8080', PORT = '3000' } = process.env

const receive = nodeHandler<Order>(async ({ id, payload, attempt }) => {
  console.log(`${id}: order ${payload.orderId} was not paid in time (attempt ${attempt})`)
})
createServer(receive).listen(Number(PORT), '127.0.0.1')

const duetime = new Duetime({ url: DUETIME_URL, namespace: 'orders' })
const timer = await duetime.create({
  id: 'order-1001-payment',
  after: '3s',
  callbackUrl: `http://127.0.0.1:${PORT}/hook`,
  payload: { orderId: 1001 },
})
console.log(`${timer.id} is ${timer.status}, due ${timer.executeAt}`)
