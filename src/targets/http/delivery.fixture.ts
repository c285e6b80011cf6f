// What the tests of HTTP deliveries share: a firing to deliver, a target to deliver it with, and a real receiver
// on a free port of the loopback interface.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { failedDelivery } from '../../core/timer/delivery.ts'
import type { DeliveryOutcome, Firing } from '../../core/timer/delivery.ts'
import { emptyTimer } from '../../core/rules/empty-timer.ts'
import { DEFAULT_RETRY } from '../../core/rules/retry.ts'
import type { JsonText, Namespace, Timer, TimerId, TimerUuid } from '../../core/timer/timer.ts'
import { systemClock } from '../../runtime/clock/clock.ts'
import { createEgressPolicy } from './egress/egress.ts'
import { HttpTarget } from './http-target.ts'
import type { HttpTargetOptions } from './http-target.ts'
import { isSuccess } from './protocol.ts'
import type { HttpProtocol, HttpResponse } from './protocol.ts'

const ORDER = {
  namespace: 'default' as Namespace,
  id: 'order-1' as TimerId,
  uuid: 'd41d8cd98f00b204e9800998ecf8427e' as TimerUuid,
}
const DUE_AT = Date.UTC(2026, 2, 1, 12)

export function aFiring(url: string, timer: Partial<Timer> = {}, firing: Partial<Firing> = {}): Firing {
  return {
    deliveryId: 'd41d8cd98f00b204e9800998ecf8427e-lz0-1',
    attempt: 1,
    firedAt: DUE_AT + 3,
    ...firing,
    timer: {
      ...emptyTimer(ORDER, DUE_AT - 60_000),
      status: 'executing',
      nominalAt: timer.dueAt ?? DUE_AT,
      dueAt: DUE_AT,
      wakeAt: DUE_AT,
      target: { type: 'http', url, headers: null },
      protocol: 'plain',
      payload: '{"n":1}' as JsonText,
      retry: DEFAULT_RETRY,
      timeoutMs: 10_000,
      ...timer,
    },
  }
}

/** Sends the payload, takes any 2xx, and keeps the answers it was asked to judge. */
export function plainProtocol(): HttpProtocol & { readonly judged: HttpResponse[] } {
  const judged: HttpResponse[] = []
  const judge = (response: HttpResponse): DeliveryOutcome => {
    judged.push(response)
    const statusCode = response.status
    return isSuccess(response)
      ? { type: 'delivered', statusCode }
      : failedDelivery(`HTTP ${statusCode}`, { statusCode })
  }
  return { name: 'plain', judged, request: (firing) => ({ body: firing.timer.payload }), judge }
}

const BELOW_LOOPBACK = [
  '0.0.0.0/2',
  '64.0.0.0/3',
  '96.0.0.0/4',
  '112.0.0.0/5',
  '120.0.0.0/6',
  '124.0.0.0/7',
  '126.0.0.0/8',
]
const ALL_BUT_LOOPBACK = [...BELOW_LOOPBACK, '128.0.0.0/1', '2000::/3']

/** No packet leaves this machine, whatever a test does. */
const LOOPBACK_ONLY = createEgressPolicy({
  allow: [],
  deny: ALL_BUT_LOOPBACK,
  loopbackAllowed: true,
  privateAllowed: false,
})

export function aTarget(t: TestContext, options: Partial<HttpTargetOptions> = {}): HttpTarget {
  const target = new HttpTarget({
    protocols: [plainProtocol()],
    egress: LOOPBACK_ONLY,
    clock: systemClock,
    signingSecrets: [],
    userAgent: 'duetime/test',
    ...options,
  })
  t.after(() => target.close())
  return target
}

export type Received = {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: string[]
  readonly body: string
}

export type Receiver = {
  readonly url: string
  readonly port: number
  readonly requests: Received[]
  /** Every connection that was ever opened. */
  readonly connections: Socket[]
}

type Answer = (response: ServerResponse, request: IncomingMessage, count: number) => void

/** Answers each request, once its body is read, as told; `count` is from 1. */
export async function aReceiver(t: TestContext, answer: Answer): Promise<Receiver> {
  const requests: Received[] = []
  const connections: Socket[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { headers, rawHeaders, method = '', url = '' } = request
      requests.push({ headers, rawHeaders, method, url, body: Buffer.concat(chunks).toString() })
      answer(response, request, requests.length)
    })
  })
  server.on('connection', (socket) => connections.push(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/hook`, port, requests, connections }
}

export const NOT_ABORTED = new AbortController().signal
