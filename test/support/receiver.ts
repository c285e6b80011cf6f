// The other end of a delivery: a real HTTP server on the loopback interface that answers as it is told and records
// every attempt that reached it, what it said and when.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { cleanUp } from './cleanup.ts'
import { eventually } from './eventually.ts'

export type CallbackBody = {
  readonly id: string
  readonly namespace: string
  readonly payload: unknown
  readonly executeAt: string
  readonly firedAt: string
  readonly attempt: number
  readonly deliveryId: string
  readonly iteration?: number
}

/** One attempt that arrived. All times are of the machine's one wall clock. */
export type Delivery = {
  readonly arrivedAt: number
  readonly deliveryId: string
  readonly timerId: string
  readonly attempt: number
  readonly dueAt: number
  readonly firedAt: number
  readonly body: CallbackBody
  readonly rawBody: string
  readonly headers: IncomingHttpHeaders
  /** What was answered and when; null while it is not, and for good when the connection broke first. */
  answered: { readonly at: number; readonly reply: Reply } | null
}

export type Reply = {
  readonly status: number
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** What to answer, perhaps after a while. */
export type Answering = (delivery: Delivery) => Reply | Promise<Reply>

export const OK: Reply = { status: 200, body: { ok: true } }
export const FAILING: Reply = { status: 500, body: { ok: false } }

export class Receiver {
  readonly deliveries: Delivery[] = []
  readonly #answering: Answering
  readonly #server = createServer((request, response) => void this.#receive(request, response))

  constructor(answering: Answering) {
    this.#answering = answering
  }

  async start(): Promise<this> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return this
  }

  stop(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/callback`
  }

  of(timerId: string): Delivery[] {
    return this.deliveries.filter((delivery) => delivery.timerId === timerId)
  }

  /** The n-th attempt that arrives for this timer, from 1. */
  received(timerId: string, n = 1): Promise<Delivery> {
    return eventually(`delivery ${n} of ${timerId}`, () => this.of(timerId)[n - 1])
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const rawBody = await bodyOf(request)
    if (rawBody === null) return
    const delivery = deliveryFrom(request, rawBody)
    this.deliveries.push(delivery)
    const reply = await this.#answering(delivery)
    if (response.destroyed) return
    delivery.answered = { at: Date.now(), reply }
    response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers })
    response.end(reply.body === undefined ? undefined : JSON.stringify(reply.body))
  }
}

/** A receiver for one test. */
export async function startReceiver(t: TestContext, answering: Answering = () => OK): Promise<Receiver> {
  const receiver = await new Receiver(answering).start()
  cleanUp(t, () => receiver.stop())
  return receiver
}

/** Null when the sender died before it had sent everything. */
async function bodyOf(request: IncomingMessage): Promise<string | null> {
  let text = ''
  try {
    for await (const chunk of request.setEncoding('utf8')) text += chunk as string
  } catch {
    return null
  }
  return text
}

function deliveryFrom({ headers }: IncomingMessage, rawBody: string): Delivery {
  const body = JSON.parse(rawBody) as CallbackBody
  return {
    arrivedAt: Date.now(),
    deliveryId: String(headers['webhook-id']),
    timerId: body.id,
    attempt: body.attempt,
    dueAt: Date.parse(body.executeAt),
    firedAt: Date.parse(body.firedAt),
    body,
    rawBody,
    headers,
    answered: null,
  }
}
