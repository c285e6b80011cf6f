// Tables on DynamoDB Local, and a way to it that loses things: requests and answers, one kind of call at a time.

import { once } from 'node:events'
import { createServer, request as httpRequest } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { parseDynamodbUrl } from '../../runtime/config/databases/dynamodb.ts'
import type { DynamodbLocation } from '../../runtime/config/databases/dynamodb.ts'
import { dynamodb } from '../../../scripts/servers/engines/dynamodb.ts'
import type { RunningServer } from '../../../scripts/servers/servers.ts'

Object.assign(process.env, dynamodb.environment)

let tables = 0

export function emptyTable(server: RunningServer): DynamodbLocation {
  return parseDynamodbUrl(server.url(`timers-${process.pid}-${++tables}`))
}

/**
 * `answer`: it arrives, and its answer does not. `hold`: it arrives when `deliverHeld` says so. `cut`: it does not arrive.
 * `throttle`: it is refused, as the service does when more capacity is asked for than there is. `deny`: the credentials may not.
 */
export type Loss = 'answer' | 'hold' | 'cut' | 'throttle' | 'deny'

const HEADERS = { 'content-type': 'application/x-amz-json-1.0' }
const REFUSALS = {
  throttle: JSON.stringify({
    __type: 'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException',
    message: 'The level of configured provisioned throughput for the table was exceeded.',
  }),
  deny: JSON.stringify({
    __type: 'com.amazon.coral.service#AccessDeniedException',
    Message: 'User: arn:aws:iam::1:user/me is not authorized to perform: this action on the table',
  }),
}

export class LossyWay {
  readonly #server = createServer((request, response) => void this.#carry(request, response))
  readonly #target: URL
  readonly #losses: { readonly call: string; readonly loss: Loss }[] = []
  readonly #held: (() => Promise<number>)[] = []

  private constructor(endpoint: string) {
    this.#target = new URL(endpoint)
  }

  static async to(t: TestContext, location: DynamodbLocation): Promise<{ way: LossyWay; location: DynamodbLocation }> {
    const way = new LossyWay(location.endpoint!)
    way.#server.listen(0, '127.0.0.1')
    await once(way.#server, 'listening')
    t.after(() => {
      way.#server.close()
      way.#server.closeAllConnections()
    })
    const endpoint = `http://127.0.0.1:${(way.#server.address() as AddressInfo).port}`
    return { way, location: { ...location, endpoint } }
  }

  /** The next calls of this name suffer these, one after the other. */
  lose(call: string, ...losses: readonly Loss[]): void {
    this.#losses.push(...losses.map((loss) => ({ call, loss })))
  }

  /** The statuses that they are answered with, which nobody hears. */
  deliverHeld(): Promise<number[]> {
    return Promise.all(this.#held.splice(0).map((deliver) => deliver()))
  }

  async #carry(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray())
    const call = String(request.headers['x-amz-target']).split('.')[1]
    const index = this.#losses.findIndex((one) => one.call === call)
    const loss = index < 0 ? null : this.#losses.splice(index, 1)[0]!.loss
    const deliver = () => this.#deliver(request, body)
    if (loss === 'hold') this.#held.push(async () => (await deliver()).statusCode!)
    if (loss === 'hold' || loss === 'cut') return void response.destroy()
    if (loss === 'throttle' || loss === 'deny') return void response.writeHead(400, HEADERS).end(REFUSALS[loss])
    const answer = await deliver()
    const text = Buffer.concat(await answer.toArray())
    if (loss === 'answer') return void response.destroy()
    response.writeHead(answer.statusCode!, answer.headers).end(text)
  }

  async #deliver({ method, url, headers }: IncomingMessage, body: Buffer): Promise<IncomingMessage> {
    const { hostname, port } = this.#target
    const request = httpRequest({ hostname, port, method, path: url, headers })
    request.end(body)
    const [answer] = (await once(request, 'response')) as [IncomingMessage]
    return answer
  }
}
