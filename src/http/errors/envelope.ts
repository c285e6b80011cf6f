// The envelope that errors have in the answers of a contract, and how to know which one a request expects.

import type { DuetimeError } from '../../core/errors.ts'
import type { Millis } from '../../core/timer/timer.ts'

export interface Envelope {
  readonly name: string

  /**
   * Whether the request speaks this contract. Asked when something failed, often before any route was found or the
   * body was read, to decide whose envelope the answer has. The first contract that says yes wins.
   */
  owns(request: Addressed): boolean

  renderError(error: DuetimeError, surroundings: ErrorSurroundings): RenderedError
}

/** `body` is undefined when it was not read, or could not be. */
export type Addressed = { readonly method: string; readonly path: string; readonly body: unknown }

export type ErrorSurroundings = { readonly now: Millis; readonly requestId: string; readonly body: unknown }

/** `body` is JSON text. Headers such as Retry-After and Allow are the entry point's business, not the contract's. */
export type RenderedError = { readonly status: number; readonly body: string }
