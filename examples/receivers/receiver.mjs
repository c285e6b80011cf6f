import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

const key = Buffer.from(process.env.WEBHOOK_SECRET.replace('whsec_', ''), 'base64')
const seen = new Set() // in production: a unique column in your database

function isGenuine(headers, body) {
  const id = headers['webhook-id']
  const time = headers['webhook-timestamp']
  if (Math.abs(Date.now() / 1000 - Number(time)) > 300) return false
  const expected = createHmac('sha256', key).update(`${id}.${time}.${body}`).digest()
  return (headers['webhook-signature'] ?? '').split(' ').some((one) => {
    const given = Buffer.from(one.replace('v1,', ''), 'base64')
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}

createServer(async (request, response) => {
  let body = ''
  for await (const part of request) body += part
  if (!isGenuine(request.headers, body)) return response.writeHead(401).end()
  const { deliveryId, payload } = JSON.parse(body)
  if (!seen.has(deliveryId)) {
    seen.add(deliveryId)
    console.log('due:', payload)
  }
  response.setHeader('content-type', 'application/json').end('{"ok": true}')
}).listen(Number(process.env.PORT), '127.0.0.1')
