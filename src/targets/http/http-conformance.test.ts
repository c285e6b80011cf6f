import { once } from 'node:events'
import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { v1Delivery } from '../../http/contracts/v1/delivery.ts'
import { ManualClock } from '../../runtime/clock/manual-clock.ts'
import { targetConformance } from '../conformance.ts'
import { aFiring, aTarget } from './delivery.fixture.ts'

const NEXT_AT = '2030-01-31T09:00:00Z'

targetConformance('http', {
  accepts: (t) => conforming(t, (response) => response.writeHead(204).end()),
  fails: (t) => conforming(t, (response) => response.writeHead(500).end()),
  refuses: (t) => conforming(t, (response) => response.writeHead(410).end()),
  reschedules: (t) => conforming(t, (response) => response.end(JSON.stringify({ ok: false, nextExecuteAt: NEXT_AT }))),
  silent: (t) => conforming(t, () => {}),
})

async function conforming(t: TestContext, answer: (response: ServerResponse) => void) {
  const clock = new ManualClock()
  const arrived = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      arrived.resolve()
      answer(response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  const adapter = aTarget(t, { clock, protocols: [v1Delivery] })
  return { adapter, clock, firing: aFiring(url, { protocol: v1Delivery.name }), arrived: arrived.promise }
}
