// The contract of long-lived parts, and the one place that starts and stops them in order. Parts are given in
// the order in which they need each other (the store before the engine before the entry points) and stop the other way round.

import type { EventEmitter } from 'node:events'
import type { Clock } from './clock/clock.ts'
import type { Logger } from './telemetry/logger.ts'

export interface Part {
  readonly name: string
  /** Resolves when the part works. Called once. */
  start(): Promise<void> | void
  /** Resolves when nothing of the part runs any more. Idempotent, and safe when start was never called or failed. */
  stop(): Promise<void> | void
}

export class Lifecycle {
  readonly #parts: readonly Part[]
  readonly #logger: Logger
  #started: Promise<void> | null = null
  #stopped: Promise<void> | null = null

  constructor(parts: readonly Part[], logger: Logger) {
    this.#parts = parts
    this.#logger = logger
  }

  /** When a part fails to start, those before it are stopped again and its error is thrown. */
  start(): Promise<void> {
    return (this.#started ??= this.#start())
  }

  /**
   * Goes on when a part fails to stop, since the others hold connections and files too, and throws in the end.
   * During a start it waits for the part that is starting, and no further part is started.
   */
  stop(): Promise<void> {
    return (this.#stopped ??= this.#stop())
  }

  async #start(): Promise<void> {
    const begun: Part[] = []
    try {
      for (const part of this.#parts) {
        if (this.#stopped !== null) throw new Error(`Stopped before ${part.name} was started`)
        begun.push(part)
        await part.start()
        this.#logger.debug({ name: part.name }, 'part started')
      }
    } catch (error) {
      // The error of the start is the one to know; what the clean-up throws was logged.
      await this.#stopAll(begun).catch(() => {})
      throw error
    }
  }

  async #stop(): Promise<void> {
    if (this.#started === null) return
    const succeeded = await this.#started.then(
      () => true,
      () => false,
    )
    if (succeeded) await this.#stopAll(this.#parts)
  }

  async #stopAll(parts: readonly Part[]): Promise<void> {
    const errors: unknown[] = []
    for (const part of parts.toReversed()) {
      try {
        await part.stop()
        this.#logger.debug({ name: part.name }, 'part stopped')
      } catch (error) {
        this.#logger.error({ err: error, name: part.name }, 'part failed to stop')
        errors.push(error)
      }
    }
    if (errors.length > 0) throw new AggregateError(errors, 'Some parts failed to stop')
  }
}

/** Under `npm start`, Ctrl-C and a signal to the process group come twice: from whoever sent it, and passed on by npm. */
const PASSED_ON_WITHIN_MS = 2_000
const AFTER_GRACE_MS = 5_000 // to store what came of the last deliveries, and to hand over

export type SignalOptions = {
  readonly stop: () => Promise<void>
  readonly logger: Logger
  readonly clock: Clock
  /** What requests, and then deliveries, are given to end. A stop that takes longer, without the database say, has nothing to wait for. */
  readonly graceMs: number
  /** The process, unless a test plays it. */
  readonly source?: Pick<EventEmitter, 'on' | 'off'>
  readonly exit?: (code: number) => void
}

/**
 * SIGTERM or SIGINT stops in order and exits; a second one, of either kind, exits at once, and so does a stop that does
 * not end: nothing that was acknowledged is lost by that. The same signal within two seconds is taken for the first one,
 * passed on. Returns a function that stops listening.
 */
export function stopOnSignals(options: SignalOptions): () => void {
  const { stop, logger, clock, graceMs, source = process, exit = (code) => process.exit(code) } = options
  let first: { readonly signal: string; readonly at: number } | null = null
  const onSignal = (signal: string) => {
    if (first !== null) {
      if (signal === first.signal && clock.monotonic() - first.at < PASSED_ON_WITHIN_MS) return
      logger.warn({ signal }, 'exiting at once: second signal')
      return exit(1)
    }
    first = { signal, at: clock.monotonic() }
    logger.info({ signal }, 'stopping; send the signal again to exit at once')
    const cancel = clock.after(2 * graceMs + AFTER_GRACE_MS, () => {
      logger.warn(
        { graceMs },
        'exiting: the stop took too long; what is under way is delivered again after the next start',
      )
      exit(1)
    })
    stop()
      .finally(cancel)
      .then(
        () => exit(0),
        (error: unknown) => {
          logger.error({ err: error }, 'stopped with errors')
          exit(1)
        },
      )
  }
  source.on('SIGTERM', onSignal).on('SIGINT', onSignal)
  return () => void source.off('SIGTERM', onSignal).off('SIGINT', onSignal)
}
