// Overviews, samples and forecasts as clients see them: instants as text, and the engine's figures by names of their own.

import type { EngineGauges } from '../../engine/engine.ts'
import type { Overview, SecondCounts } from '../../service/activity/overview.ts'
import type { LiveBatch } from '../../service/activity/live-feed.ts'
import type { ChangeSample, FiringSample } from '../../service/activity/live-samples.ts'
import type { Forecast } from '../../service/queries/forecast.ts'
import { VERSION } from '../../runtime/version.ts'
import { isoText } from '../../core/time/iso-text.ts'
import type { ObservingParts } from './parts.ts'

type Surroundings = { readonly node: ObservingParts['node']; readonly listeners: number }

export function overviewJson(overview: Overview, { node, listeners }: Surroundings): string {
  const { now, countsAt, gauges, perSecond, counts, namespace, tracked, namespaces, namespacesTotal, ...activity } =
    overview
  return JSON.stringify({
    now: isoText(now),
    version: VERSION,
    node: node.name,
    scope: 'node',
    database: node.database,
    startedAt: isoText(node.startedAt),
    namespace,
    tracked,
    counts,
    countsAt: countsAt === null ? null : isoText(countsAt),
    namespaces,
    namespacesTotal,
    gauges: gaugesValue(gauges, listeners),
    ...activity,
    perSecond: perSecond.map(secondValue),
  })
}

export function pulseJson(pulse: NonNullable<LiveBatch['pulse']>, { node, listeners }: Surroundings): string {
  const { now, namespace, counts, countsAt, gauges, lastSecond, skipped, ...activity } = pulse
  return JSON.stringify({
    now: isoText(now),
    node: node.name,
    namespace,
    counts,
    countsAt: countsAt === null ? null : isoText(countsAt),
    gauges: gaugesValue(gauges, listeners),
    ...activity,
    lastSecond: secondValue(lastSecond),
    skipped,
  })
}

export function firingJson({ timer, dueAt, firedAt, durationMs, nextAt, ...sample }: FiringSample): string {
  const { namespace, id, status } = timer
  const { latenessMs, outcome, statusCode, error, attempt } = sample
  return JSON.stringify({
    namespace,
    id,
    dueAt: isoText(dueAt),
    firedAt: isoText(firedAt),
    latenessMs,
    outcome,
    statusCode,
    error,
    attempt,
    durationMs: Math.round(durationMs),
    status,
    nextAt: nextAt === null ? null : isoText(nextAt),
  })
}

export function changeJson({ type, timer, at }: ChangeSample): string {
  const { namespace, id, dueAt, status, version } = timer
  return JSON.stringify({ type, namespace, id, at: isoText(at), dueAt: isoText(dueAt), status, version })
}

export function forecastJson({ now, stepMs, steps, overdue, total, complete, peak }: Forecast): string {
  return JSON.stringify({
    now: isoText(now),
    stepMs,
    steps: steps.map(({ at, count, hot }) => ({ at: isoText(at), count, hot })),
    overdue,
    total,
    complete,
    peak: peak === null ? null : { at: isoText(peak.at), count: peak.count },
  })
}

function gaugesValue(gauges: EngineGauges | null, listeners: number): object | null {
  if (gauges === null) return null
  const { inFlight, readyDeliveries, windowTimers, commitQueueLength, ownedShards } = gauges
  return { inFlight, ready: readyDeliveries, windowTimers, commitQueue: commitQueueLength, ownedShards, listeners }
}

function secondValue<Counts extends SecondCounts>({ at, ...counts }: Counts): object {
  return { at: isoText(at), ...counts }
}
