// The proxy between an SDK and the service. Each request meets the next fault of the scenario: a connection that is cut before
// or after the service has done its work, an answer of which half arrives, a service that is killed at that very moment.

import { once } from 'node:events'
import { createServer, request as httpRequest } from 'node:http'
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { cleanUp } from '../../support/cleanup.ts'
import type { Json } from './patterns.ts'
import type { RestartedService } from './restarted-service.ts'

export type Fault =
  | 'pass'
  | 'cut'
  | 'lose answer'
  | 'half answer'
  | 'hang'
  | 'fire first'
  | 'kill before'
  | 'kill after'
  | { readonly answer: CannedAnswer }
type CannedAnswer = { readonly status: number; readonly headers?: OutgoingHttpHeaders; readonly body: Json }

export type SeenRequest = {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Json
}
type Answer = { readonly status: number; readonly headers: IncomingMessage['headers']; readonly text: string }

export class FaultyProxy {
  readonly #service: RestartedService
  readonly #server = createServer((request, response) => void this.#carry(request, response))
  #requests: SeenRequest[] = []
  #faults: Fault[] = []
  /** Of the last request that was answered. */
  lastAnswer: Json = null

  constructor(service: RestartedService) {
    this.#service = service
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
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  set faults(faults: readonly Fault[]) {
    this.#faults = [...faults]
  }

  get pendingFaults(): number {
    return this.#faults.length
  }

  /** All since this was asked last. */
  takeRequests(): SeenRequest[] {
    const requests = this.#requests
    this.#requests = []
    return requests
  }

  async #carry(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = Buffer.concat(await request.toArray().catch(() => [])).toString('utf8')
    const fault = this.#faults.shift() ?? 'pass'
    const body = text === '' ? null : (JSON.parse(text) as Json)
    const headers = request.headers as Readonly<Record<string, string>>
    this.#requests.push({ path: request.url!, headers, body })
    if (typeof fault === 'object') return this.#send(response, canned(fault.answer))
    if (fault === 'hang') return
    if (fault === 'kill before') await this.#service.restart()
    if (fault === 'cut' || fault === 'kill before') return void response.destroy()
    const answer = await this.#asked(request, text).catch(() => null)
    if (answer === null) return void response.destroy()
    if (fault === 'pass') return this.#send(response, answer)
    if (fault === 'half answer') return sendHalf(response, answer)
    if (fault === 'fire first') await this.#service.finished(body)
    if (fault === 'kill after') await this.#service.restart()
    response.destroy()
  }

  /** On a connection of its own: one that was kept from before a kill would be another fault. */
  #asked({ url, method, headers }: IncomingMessage, text: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const { host: _host, connection: _connection, ...passed } = headers
      const asked = httpRequest(`${this.#service.url}${url}`, { method: method!, headers: passed, agent: false })
      asked.once('error', reject)
      asked.once('response', (answer) => {
        const taken = answer.toArray().then((chunks) => Buffer.concat(chunks).toString('utf8'))
        taken.then((body) => resolve({ status: answer.statusCode!, headers: answer.headers, text: body }), reject)
      })
      asked.end(text)
    })
  }

  #send(response: ServerResponse, { status, headers, text }: Answer): void {
    this.lastAnswer = parsedOrNull(text)
    const { connection: _connection, 'transfer-encoding': _encoding, 'keep-alive': _keepAlive, ...passed } = headers
    response.writeHead(status, passed).end(text)
  }
}

function sendHalf(response: ServerResponse, { status, text }: Answer): void {
  const bytes = Buffer.from(text)
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length })
  response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => response.destroy())
}

function canned({ status, headers = {}, body }: CannedAnswer): Answer {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const type = typeof body === 'string' ? 'text/html' : 'application/json'
  return { status, headers: { 'content-type': type, ...(headers as IncomingMessage['headers']) }, text }
}

function parsedOrNull(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return null
  }
}

export async function startFaultyProxy(t: TestContext, service: RestartedService): Promise<FaultyProxy> {
  const proxy = await new FaultyProxy(service).start()
  cleanUp(t, () => proxy.stop())
  return proxy
}
