// What the service tells about itself: numbers, the forecast and the cluster.

import type { Cluster, Forecast, LiveFiring, LiveOverview, Overview } from '@duetime/client'
import { request } from './http.ts'
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

export const overviewApi = {
  overview: async (namespace: string | null, signal?: AbortSignal): Promise<Overview> => {
    const sentAt = Date.now()
    const overview = await request<Overview>(`api/v1/overview${scope('?', namespace)}`, { signal })
    serverClock.note(overview.now, { sentAt, arrivedAt: Date.now() })
    return overview
  },
  forecast: (step: StepUnit, namespace: string | null, signal?: AbortSignal) =>
    request<Forecast>(`api/v1/forecast?step=${step}&steps=${STEPS[step]}${scope('&', namespace)}`, { signal }),
  cluster: (signal?: AbortSignal) => request<Cluster>('api/v1/cluster', { signal }),
}

function scope(mark: '?' | '&', namespace: string | null): string {
  return namespace === null ? '' : `${mark}namespace=${encodeURIComponent(namespace)}`
}
