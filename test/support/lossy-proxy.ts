// A proxy that carries a request to the service and then cuts the connection instead of bringing the answer back: the
// network failure that a client cannot tell from "nothing was done".

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { cleanUp } from './cleanup.ts'
import type { Service } from './service.ts'

export class LossyProxy {
  readonly #service: Pick<Service, 'url'>
  readonly #server = createServer((request, response) => void this.#carry(request, response))
  /** The paths of all requests that came, in order. */
  readonly requests: string[] = []
  #toLose = 0
  #beforeCut: () => unknown = () => {}

  constructor(service: Pick<Service, 'url'>) {
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

  /** The answers to the next so many requests get lost, each when `beforeCut` has resolved. */
  loseAnswers(count: number, beforeCut: () => unknown = () => {}): void {
    this.#toLose = count
    this.#beforeCut = beforeCut
  }

  async #carry(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const isLost = this.#toLose > 0
    if (isLost) this.#toLose--
    this.requests.push(request.url!)
    const body = Buffer.concat(await request.toArray())
    const headers = { 'content-type': 'application/json', 'x-request-id': String(request.headers['x-request-id']) }
    const answer = await fetch(`${this.#service.url}${request.url}`, { method: 'POST', headers, body })
    const text = await answer.text()
    if (isLost) {
      await this.#beforeCut()
      response.destroy()
      return
    }
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
  }
}

export async function startLossyProxy(t: TestContext, service: Pick<Service, 'url'>): Promise<LossyProxy> {
  const proxy = await new LossyProxy(service).start()
  cleanUp(t, () => proxy.stop())
  return proxy
}
