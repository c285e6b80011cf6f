// A contract: one of the APIs this service speaks. It translates between its clients and the service and holds no
// rule of its own. A new one is a folder under contracts/ and a line in server.ts; contracts do not know each other.

import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../runtime/clock/clock.ts'
import type { DirectRoutes } from '../direct/direct-routes.ts'
import type { Envelope } from '../errors/envelope.ts'
import type { SharedRoutes } from './shared-route.ts'

/** What every contract is given to work with. The timers, as whoever asks may use them, are `request.timers`. */
export type ContractParts = {
  readonly clock: Clock
  readonly payloadMaxBytes: number
  /** What a callback that is only a path is resolved against; null when it is not set. */
  readonly callbackBaseUrl: string | null
  /** For routes that carry much load. */
  readonly direct: DirectRoutes
  /** For a path that another contract has, too, and that the body decides about. */
  readonly shared: SharedRoutes
}

export interface Contract extends Envelope {
  /** Adds the routes. Handlers throw DuetimeErrors; `renderError` is called for them. */
  register(app: FastifyInstance, parts: ContractParts): void
}
