// What /readyz asks the parts of the service. Load balancers and orchestrators ask every few seconds and send clients
// elsewhere by the answer, so it comes soon, also when a part is silent. What changes is logged, once, however often and
// by however many it is asked.

import { sleep } from '../../runtime/clock/clock.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import type { Logger } from '../../runtime/telemetry/logger.ts'

/** Each part by its name; a check throws or rejects with the reason when the part cannot do its work. */
export type ReadyChecks = Readonly<Record<string, () => void | Promise<void>>>

const CHECK_MS_MAX = 2_000

export class Readiness {
  readonly #clock: Clock
  readonly #logger: Logger
  /** Why a part was not ready when it was last asked. */
  readonly #failing = new Map<string, string>()

  constructor({ clock, logger }: { readonly clock: Clock; readonly logger: Logger }) {
    this.#clock = clock
    this.#logger = logger
  }

  /** `ok` or what is wrong, by part. `reasons`: whether they may be told. They name hosts and files. */
  async check(checks: ReadyChecks, { reasons }: { readonly reasons: boolean }): Promise<Record<string, string>> {
    const names = Object.keys(checks)
    const settled = await Promise.allSettled(names.map((name) => inTime(checks[name]!, this.#clock)))
    return Object.fromEntries(
      settled.map((result, index) => {
        const name = names[index]!
        if (result.status === 'fulfilled') {
          if (this.#failing.delete(name)) this.#logger.info({ check: name }, 'ready again')
          return [name, 'ok']
        }
        const reason = result.reason instanceof Error ? result.reason.message : 'failed'
        if (this.#failing.get(name) !== reason)
          this.#logger.warn({ check: name, err: result.reason as unknown }, 'not ready')
        this.#failing.set(name, reason)
        return [name, reasons ? reason : 'failed']
      }),
    )
  }
}

/** A part that is silent is not ready, whatever it would say in the end. */
async function inTime(check: () => void | Promise<void>, clock: Clock): Promise<void> {
  const answered = new AbortController()
  const silence = sleep(clock, CHECK_MS_MAX, answered.signal).then(
    () => Promise.reject(new Error(`no answer within ${CHECK_MS_MAX / 1_000} seconds`)),
    () => {},
  )
  try {
    // Within an async function, a check that throws is a check that rejects.
    await Promise.race([(async () => check())(), silence])
  } finally {
    answered.abort()
  }
}
