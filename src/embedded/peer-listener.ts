// Where other processes on the same PostgreSQL database reach this one: timers are shared between all of them, so a change
// of a timer may have to go to another, and whoever leaves hands its timers over. The same words as http/routes/internal-routes.ts
// answers in the server, without a web framework.

import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import type { ClusterMember, Preparation } from '../engine/engine.ts'
import type { DeliveryReport } from '../engine/delivery/remote-delivery.ts'
import { http } from '../runtime/builtin-modules.ts'
import type { Clock } from '../runtime/clock/clock.ts'
import type { Logger } from '../runtime/telemetry/logger.ts'
import { ownUrl } from '../runtime/own-address.ts'
import { CommandStreams, isCommandStream } from '../service/peers/command-streams.ts'
import { peerCheck } from '../service/peers/peer-check.ts'
import type { PeerCheck } from '../service/peers/peer-check.ts'
import { REPORT_PATH, LOOK_PATH, MOVED_PATH, PREPARE_PATH } from '../service/peers/wire.ts'
import type { WireMoved } from '../service/peers/wire.ts'

export type PeerAddress = {
  /** Where to listen. 127.0.0.1 if left out, which is right while all processes are on one machine. */
  readonly host?: string | undefined
  /** Any free one if left out. */
  readonly port?: number | undefined
  /** Where the others reach that, if it is not what it listens on. */
  readonly url?: string | undefined
}

type DoorOptions = {
  readonly at: PeerAddress
  readonly secret: string
  readonly node: () => ClusterMember
  readonly clock: Clock
  readonly logger: Logger
}

export class PeerListener {
  readonly #options: DoorOptions
  readonly #server: Server
  readonly #streams: CommandStreams
  readonly #isPeer: PeerCheck
  #url = ''

  constructor(options: DoorOptions) {
    this.#options = options
    this.#isPeer = peerCheck(options.secret)
    this.#server = http.createServer({ shouldUpgradeCallback: isCommandStream }, (request, response) => {
      this.#answer(request, response).catch((error: unknown) => {
        options.logger.error({ err: error, url: request.url }, 'could not answer another process on the same database')
        response.writeHead(500).end()
      })
    })
    this.#streams = new CommandStreams(options)
    this.#streams.attach(this.#server)
  }

  /** Known once it has started. */
  get address(): string {
    return this.#url
  }

  async start(): Promise<void> {
    const { host = '127.0.0.1', port = 0, url } = this.#options.at
    this.#server.listen(port, host)
    await once(this.#server, 'listening')
    this.#url = url ?? ownUrl(`http://${host}:${(this.#server.address() as AddressInfo).port}`, host)
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return
    this.#server.closeIdleConnections()
    const closed = once(this.#server, 'close')
    this.#server.close()
    await this.#streams.close()
    this.#server.closeAllConnections()
    await closed
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // Before the body is read: whoever does not know the secret gets nothing done.
    if (request.method !== 'POST' || !this.#isPeer(request)) {
      response.writeHead(401, { connection: 'close' }).end()
      return
    }
    const answer = await this.#obey(request.url ?? '', await json(request))
    if (answer === undefined) response.writeHead(404).end()
    else if (answer === null) response.writeHead(204).end()
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  }

  /** Null: nothing to say. Undefined: not understood. */
  async #obey(path: string, body: unknown): Promise<object | null | undefined> {
    const node = this.#options.node()
    switch (path) {
      case LOOK_PATH:
        void node.lookNow().catch(() => {})
        return null
      case PREPARE_PATH:
        await node.prepare(body as Preparation)
        return null
      case MOVED_PATH:
        node.accept((body as WireMoved).moved)
        return null
      case REPORT_PATH:
        return { accepted: await node.acceptReport(body as DeliveryReport) }
      default:
        return undefined
    }
  }
}
