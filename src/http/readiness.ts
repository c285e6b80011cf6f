// What /readyz asks the parts of the service. Load balancers and orchestrators ask every few seconds and send clients
// elsewhere by the answer, so it comes soon, also when a part is silent.

import { sleep } from '../runtime/clock.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Logger } from '../runtime/logger.ts'

/** Each part by its name; a check throws or rejects with the reason when the part cannot do its work. */
export type ReadyChecks = Readonly<Record<string, () => void | Promise<void>>>

/** `reasons`: whether they may be told. They name hosts and files: where keys are needed they go to the log only. */
type CheckContext = { readonly clock: Clock; readonly logger: Logger; readonly reasons: boolean }

const CHECK_MS_MAX = 2_000

/** `ok` or what is wrong, by part. */
export async function checkParts(checks: ReadyChecks, { clock, logger, reasons }: CheckContext): Promise<Record<string, string>> {
  const names = Object.keys(checks)
  const settled = await Promise.allSettled(names.map((name) => inTime(checks[name]!, clock)))
  return Object.fromEntries(
    settled.map((result, index) => {
      const name = names[index]!
      if (result.status === 'fulfilled') return [name, 'ok']
      logger.warn({ check: name, err: result.reason }, 'not ready')
      return [name, reasons && result.reason instanceof Error ? result.reason.message : 'failed']
    }),
  )
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
