// Delivers firings by HTTP POST. What is sent and what an answer means come from the timer's protocol; this is the
// way there: pooled connections to allowed addresses, one time limit over everything, signed headers, bounded
// answers. Redirects are not followed and no proxy is taken from the environment, because either would lead to
// addresses that nobody has judged.

import type { buildConnector } from 'undici'
import { failedDelivery } from '../../core/timer/delivery.ts'
import type { DeliveryOutcome, Firing } from '../../core/timer/delivery.ts'
import type { HttpTarget as HttpAddress } from '../../core/targets/http.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import { AttemptsUnderWay } from '../attempts-under-way.ts'
import type { Callback, TargetAdapter } from '../target.ts'
import { callbackUrl } from './callback-urls.ts'
import type { CallbackUrl } from './callback-urls.ts'
import { DeliveryAttempt } from './delivery-attempt.ts'
import type { AttemptSurroundings } from './delivery-attempt.ts'
import type { EgressPolicy } from './egress/egress.ts'
import { guardedConnector } from './egress/guarded-connector.ts'
import type { Resolve } from './egress/name-lookups.ts'
import { OriginPools } from './origin-pools.ts'
import type { HttpProtocol } from './protocol.ts'
import { deliveryHeaders } from './request-headers.ts'
import { createSigner } from './signature.ts'
import type { Signer } from './signature.ts'
import { ConnectionHistory } from './stale-connection.ts'

export type HttpTargetOptions = {
  readonly protocols: readonly HttpProtocol[]
  readonly egress: EgressPolicy
  readonly clock: Clock
  /** The first is the current one; the others are still signed with while receivers move on. None: nothing is signed. */
  readonly signingSecrets: readonly string[]
  readonly userAgent: string
  readonly connectionsPerHost?: number
  readonly responseBytesMax?: number
  readonly idleOriginsMax?: number
  /** How names become addresses, and addresses connections: the system's ways unless told. */
  readonly resolve?: Resolve
  readonly connect?: buildConnector.connector
}

const CONNECTIONS_PER_HOST = 64 // about what one busy receiver serves well; further deliveries queue for a connection
const RESPONSE_BYTES_MAX = 64 * 1_024 // an answer is a line of JSON; this leaves room for somebody's error page
const IDLE_ORIGINS_MAX = 1_024 // an idle pool is a few kB, and its sockets close after seconds

export class HttpTarget implements TargetAdapter<HttpAddress> {
  readonly type = 'http'
  readonly #protocols: ReadonlyMap<string, HttpProtocol>
  readonly #egress: EgressPolicy
  readonly #signer: Signer | null
  readonly #userAgent: string
  readonly #pools: OriginPools
  readonly #surroundings: AttemptSurroundings

  constructor(options: HttpTargetOptions) {
    const history = new ConnectionHistory()
    const { clock, egress, resolve, connect } = options
    this.#protocols = new Map(options.protocols.map((protocol) => [protocol.name, protocol]))
    this.#egress = egress
    this.#signer = createSigner(options.signingSecrets)
    this.#userAgent = options.userAgent
    this.#surroundings = { clock, history, responseBytesMax: options.responseBytesMax ?? RESPONSE_BYTES_MAX }
    this.#pools = new OriginPools({
      connect: history.watch(
        guardedConnector({ policy: egress, clock, ...(resolve && { resolve }), ...(connect && { connect }) }),
      ),
      connectionsPerHost: options.connectionsPerHost ?? CONNECTIONS_PER_HOST,
      idleOriginsMax: options.idleOriginsMax ?? IDLE_ORIGINS_MAX,
    })
  }

  refuse({ target }: Callback<HttpAddress>): string | null {
    return this.#egress.checkUrl(target.url)
  }

  destinationOf(target: HttpAddress): string {
    return callbackUrl(target.url)?.host ?? 'no-url'
  }

  deliver(firing: Firing, signal: AbortSignal): Promise<DeliveryOutcome> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason)
      const { target, protocol: name } = firing.timer
      if (target.type !== 'http') throw new TypeError(`the HTTP target was given a ${target.type} timer`)
      const protocol = this.#protocols.get(name)
      const url = callbackUrl(target.url)
      // Stored by a newer version, or edited by hand: it may well be right at the next attempt.
      if (protocol === undefined) return resolve(failedDelivery(`this node does not know the protocol '${name}'`))
      if (url === null) return resolve(failedDelivery('the callback URL is not an http or https URL'))

      const attempt = new DeliveryAttempt(
        this.#surroundings,
        {
          firing,
          protocol,
          hostname: url.hostname,
          origin: this.#pools.for(url.origin),
          request: { method: 'POST', path: url.path, ...this.#content(firing, protocol, target, url) },
        },
        { resolve, reject, underWay: AttemptsUnderWay.until(signal) },
      )
      attempt.send()
    })
  }

  close(): Promise<void> {
    return this.#pools.close()
  }

  #content(
    firing: Firing,
    protocol: HttpProtocol,
    target: HttpAddress,
    url: CallbackUrl,
  ): { body: string | null; headers: string[] } {
    const { body, headers: protocolHeaders } = protocol.request(firing)
    const headers = deliveryHeaders({
      firing,
      body,
      userAgent: this.#userAgent,
      signer: this.#signer,
      authorization: url.authorization,
      protocolHeaders,
      targetHeaders: target.headers,
    })
    return { body, headers }
  }
}
