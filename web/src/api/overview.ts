// What the service tells about itself: numbers, the forecast and the cluster.

import type { Cluster, Forecast, LiveFiring, LiveOverview, Overview } from '@duetime/client'
import { duetime } from './client.ts'
import { serverClock } from './server-clock.ts'

export type { Cluster, Forecast, LiveFiring, LiveOverview, Overview }

/** What changes from second to second: the live connection repeats it. */
export type Figures = Omit<LiveOverview, 'lastSecond' | 'skipped'>
export type Happened = Overview['lastMinute']
export type Second = Overview['perSecond'][number]
export type Lateness = Overview['lateness']
export type Bucket = Lateness['histogram'][number]
export type ForecastStep = Forecast['steps'][number]

export const STEPS = { second: 120, minute: 60, hour: 48, day: 60 } as const
export type StepUnit = keyof typeof STEPS

/** Of one namespace, or of all that the key may see. */
export function loadOverview(namespace: string | null, signal: AbortSignal): Promise<Overview> {
  return serverClock.learnFrom(() => duetime.overview({ namespace: namespace ?? undefined }, { signal }))
}

export function loadForecast(step: StepUnit, namespace: string | null, signal: AbortSignal): Promise<Forecast> {
  return duetime.forecast({ step, steps: STEPS[step], namespace: namespace ?? undefined }, { signal })
}
