// What Temporal runs when a timer is due: see temporal.ts. It is bundled into a sandbox and can import nothing else.

import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow'
import type { Job } from '../system.ts'

type Activities = { handle(job: Job): Promise<void> }

const options = { startToCloseTimeout: '10s', retry: { initialInterval: '1s', maximumAttempts: 5 } } as const
const asTask = proxyActivities<Activities>(options)
const local = proxyLocalActivities<Activities>(options)

export function timer(job: Job): Promise<void> {
  return asTask.handle(job)
}

export function timerWithLocalActivity(job: Job): Promise<void> {
  return local.handle(job)
}
