import { handler, reschedule } from '@duetime/client'
import type { Duetime } from '@duetime/client'

type Job = { readonly job: string }

export function deadManSwitch(client: Duetime, alarm: (job: string) => Promise<void>, callbackUrl: string) {
  return {
    /** The backup calls this when it has run. As long as it does so every day, nothing happens. */
    alive: (job: string) => client.create<Job>({ id: `alive-${job}`, after: '25h', callbackUrl, payload: { job } }),

    retired: (job: string) => client.cancel(`alive-${job}`),

    /** Silence is what fires. Once more every hour, until somebody brings the job back or retires it. */
    silent: handler<Job>(async ({ payload, firedAt }) => {
      await alarm(payload.job)
      return reschedule(Date.parse(firedAt) + 3_600_000)
    }),
  }
}
