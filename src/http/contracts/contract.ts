// A contract: one of the APIs this service speaks. It translates between its clients and the service and holds no
// rule of its own. A new one is a folder under contracts/ and a line in server.ts; contracts do not know each other.

import type { FastifyInstance } from 'fastify'
import type { DuetimeError } from '../../core/errors.ts'
import type { Millis } from '../../core/timer/timer.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import type { SharedRoutes } from './shared-route.ts'

/** What every contract is given to work with. The timers, as whoever asks may use them, are `request.timers`. */
export type ContractParts = {
  readonly clock: Clock
  readonly payloadMaxBytes: number
  /** What a callback that is only a path is resolved against; null when it is not set. */
  readonly callbackBaseUrl: string | null
  /** For a path that another contract has, too, and that the body decides about. */
  readonly shared: SharedRoutes
}

export interface Contract {
  readonly name: string

  /**
   * Whether the request speaks this contract. Asked when something failed, often before any route was found or the
   * body was read, to decide whose envelope the answer has. The first contract that says yes wins.
   */
  owns(request: Addressed): boolean

  /** Adds the routes. Handlers throw DuetimeErrors; `renderError` is called for them. */
  register(app: FastifyInstance, parts: ContractParts): void

  renderError(error: DuetimeError, surroundings: ErrorSurroundings): RenderedError
}

/** `body` is undefined when it was not read, or could not be. */
export type Addressed = { readonly method: string; readonly path: string; readonly body: unknown }

export type ErrorSurroundings = { readonly now: Millis; readonly requestId: string; readonly body: unknown }

/** `body` is JSON text. Headers such as Retry-After and Allow are the door's business, not the contract's. */
export type RenderedError = { readonly status: number; readonly body: string }
