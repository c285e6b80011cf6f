// The golden examples in api/: read as stories, told to a real server with a real receiver behind it. The format is
// described in api/README.md.

import assert from 'node:assert/strict'
import { once, EventEmitter } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http'
import type { TestContext } from 'node:test'
import { parseInterval } from '../core/time/interval.ts'
import { aReceiver, aTarget } from '../targets/http/delivery.fixture.ts'
import { CONTRACTS } from './contracts/all-contracts.ts'
import { DELIVERIES } from './contracts/all-deliveries.ts'
import { Placeholders } from './golden-placeholders.fixture.ts'
import { testServer } from './test-server.fixture.ts'
import type { TestServer, TestServerOptions } from './test-server.fixture.ts'

type Content = { readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown; readonly text?: string }
type Exchange = {
  readonly request: Content & { readonly method: string; readonly path: string }
  readonly response: Content & { readonly status: number }
}
type Delivery = {
  readonly request: Content & { readonly method?: string; readonly path: string }
  readonly response?: Content & { readonly status: number }
}
type Waiting = { readonly wait: string; readonly deliveries?: readonly Delivery[]; readonly settled?: number }
export type Story = { readonly title: string; readonly steps: readonly (Exchange | Waiting)[] }

/** `options`: of the server that the story is told to. */
export async function replay(t: TestContext, { steps }: Story, options: TestServerOptions = {}): Promise<void> {
  const teller = await Teller.start(t, options)
  for (const [index, step] of steps.entries()) {
    try {
      await ('wait' in step ? teller.wait(step) : teller.exchange(step))
    } catch (error) {
      throw new Error(
        `step ${index + 1} of ${steps.length}: ${error instanceof Error ? error.message : String(error)}`,
        { cause: error },
      )
    }
  }
}

type Receiver = Awaited<ReturnType<typeof aReceiver>>

class Teller {
  readonly #server: TestServer
  readonly #receiver: Receiver
  readonly #script: Script
  readonly #placeholders: Placeholders

  constructor(server: TestServer, receiver: Receiver, script: Script) {
    this.#server = server
    this.#receiver = receiver
    this.#script = script
    this.#placeholders = new Placeholders({
      startedAt: server.clock.now(),
      receiver: `http://127.0.0.1:${receiver.port}`,
    })
  }

  static async start(t: TestContext, options: TestServerOptions): Promise<Teller> {
    const script = new Script()
    const receiver = await aReceiver(t, (response) => {
      const answer = script.answers.shift()
      script.received()
      if (answer === undefined) return
      response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers })
      response.end(answer.text ?? (answer.body === undefined ? '' : JSON.stringify(answer.body)))
    })
    const server = await testServer(t, {
      ...options,
      contracts: CONTRACTS,
      target: (clock) => aTarget(t, { clock, protocols: DELIVERIES }),
      onSettled: () => script.settled(),
    })
    return new Teller(server, receiver, script)
  }

  async exchange({ request, response }: Exchange): Promise<void> {
    const { method, path, body, text, headers = {} } = this.#placeholders.filledIn(request)
    const content = text ?? (body === undefined ? undefined : JSON.stringify(body))
    const answer = await this.#server.request(path, {
      method,
      headers: { ...(content === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(content === undefined ? {} : { body: content }),
    })
    assert.equal(answer.status, response.status, answer.text)
    this.#assertContent(response, { text: answer.text, header: (name) => answer.headers.get(name) })
  }

  /** The clock is moved to each due time in turn, so what is awaited is real: the receiver, and the store. */
  async wait({ wait, deliveries = [], settled = 0 }: Waiting): Promise<void> {
    const before = this.#receiver.requests.length
    const answered = deliveries.filter(({ response }) => response !== undefined)
    this.#script.expect({ received: deliveries.length, settled: answered.length + settled })
    this.#script.answers.push(...deliveries.map(({ response }) => response && this.#placeholders.filledIn(response)))
    await this.#server.clock.advance(parseInterval(wait))
    await this.#script.isDone()
    const received = this.#receiver.requests.slice(before)
    assert.equal(received.length, deliveries.length, `deliveries: ${JSON.stringify(received)}`)
    for (const [index, { request }] of deliveries.entries()) {
      const { url, method, headers, body: text } = received[index]!
      this.#placeholders.assertMatches(`${method} ${url}`, `${request.method ?? 'POST'} ${request.path}`)
      this.#assertContent(request, { text, header: (name) => headerOf(headers, name) })
    }
  }

  #assertContent(
    expected: Content,
    { text, header }: { readonly text: string; readonly header: (name: string) => string | null },
  ): void {
    for (const [name, value] of Object.entries(expected.headers ?? {}))
      this.#placeholders.assertMatches(header(name), value, name)
    if (expected.body === undefined) this.#placeholders.assertMatches(text, expected.text ?? '')
    else this.#placeholders.assertMatches(JSON.parse(text), expected.body)
  }
}

/** What the receiver answers next, and how far the deliveries of a step have come. */
class Script {
  readonly answers: (NonNullable<Delivery['response']> | undefined)[] = []
  readonly #progress = new EventEmitter()
  #missing = { received: 0, settled: 0 }

  expect(missing: { received: number; settled: number }): void {
    this.#missing = missing
  }

  received(): void {
    this.#missing.received--
    this.#progress.emit('progress')
  }

  settled(): void {
    this.#missing.settled--
    this.#progress.emit('progress')
  }

  async isDone(): Promise<void> {
    const signal = AbortSignal.timeout(10_000)
    while (this.#missing.received > 0 || this.#missing.settled > 0) {
      await once(this.#progress, 'progress', { signal }).catch(() =>
        assert.fail(`still missing: ${JSON.stringify(this.#missing)}`),
      )
    }
  }
}

function headerOf(headers: IncomingHttpHeaders, name: string): string | null {
  const value = headers[name.toLowerCase()]
  return value === undefined ? null : String(value)
}
