// What concerns a whole simulation and not one timer: owners, memory, counts, lifecycle events, lateness.

import type { Arrival, History } from '../history.ts'
import { isDone, PROMISES, time } from './verdict.ts'
import type { PromiseName, TimerHistory, Violation } from './verdict.ts'

const PUNCTUAL_MS = 150 // an event loop that is busy for 40 ms now and then, and a page to be read
const FAIR_MS = 600
const RECOVERS_MS = 5_000

export function checkSurroundings(history: History, timers: readonly TimerHistory[]): Violation[] {
  const { final, excesses, fatal } = history
  const of = (promise: PromiseName, texts: readonly string[]): Violation[] =>
    texts.map((text) => ({ promise, timer: null, text }))
  return [
    ...of('sound', fatal),
    ...of('live', final.unopenedShards),
    ...of(
      'bounded',
      excesses
        .slice(0, 3)
        .map(
          ({ node, at, what, value, limit }) => `${node} has ${value} ${what} at ${time(at)}; ${limit} is the limit`,
        ),
    ),
    ...of('counters', counters(history)),
    ...(history.settings.withEvents ? timers.flatMap((timer) => events(timer, history)) : []),
    ...of(
      'events',
      history.settings.withEvents && final.eventsLeft > 0 ? [`${final.eventsLeft} events are not published`] : [],
    ),
    ...timers.flatMap((timer) => lateness(timer, history)),
  ]
}

function counters({ final: { counts } }: History): string[] {
  const keys = new Set([...counts.counted.keys(), ...counts.stored.keys()])
  return Array.from(keys).flatMap((key) => {
    const [counted, stored] = [counts.counted.get(key) ?? 0, counts.stored.get(key) ?? 0]
    return counted === stored ? [] : [`${counted} timers are counted as ${key}, and ${stored} are stored`]
  })
}

/** Every acknowledged change has its event, and the events of a timer come in the order of its versions. */
function events({ name, operations, final }: TimerHistory, history: History): Violation[] {
  const own = history.events.filter(({ timer }) => timer === name)
  const told = new Set(own.map(({ version }) => version))
  const found: string[] = []
  for (const operation of operations)
    if (isDone(operation) && !told.has(operation.answer!.version))
      found.push(
        `the ${operation.type} of ${time(operation.sentAt)} made version ${operation.answer!.version}, and no event told of it`,
      )
  const isFinished = final !== null && ['completed', 'failed', 'canceled'].includes(final.status)
  if (isFinished && !told.has(final.version))
    found.push(`it is ${final.status} by version ${final.version}, and no event told of it`)
  const seen = new Map<string, number>()
  for (const { id, version } of own) {
    // Versions begin anew when a timer was forgotten: the id has the time of creation.
    const life = id.split('-').at(-3)!
    if (!seen.has(id) && version < (seen.get(life) ?? 0))
      found.push(`the event of version ${version} came after that of version ${seen.get(life)}`)
    seen.set(id, version)
    seen.set(life, Math.max(version, seen.get(life) ?? 0))
  }
  return found.map((text) => ({ promise: 'events', timer: name, text }))
}

/**
 * Where nothing fails but targets, timers start when they are due, also those of others than the one who floods. That asks for a place in
 * memory for each of them; the least memory that can be set has a hundred.
 */
function lateness(timer: TimerHistory, history: History): Violation[] {
  const { settings } = history
  const isOfOthers = settings.isOnlyTargets && timer.namespace === 'calm'
  if (!settings.hasRoomForAll || !(settings.isCalm || isOfOthers)) return []
  const limitMs = settings.isCalm ? PUNCTUAL_MS : FAIR_MS
  return timer.arrivals.flatMap((arrival): Violation[] => {
    const { dueWall, startedWall, attempt, revision, isTriggered, startedAt } = arrival
    const write = timer.operations.find((operation) => operation.revision === revision && operation.endedAt !== null)
    if (dueWall === null || attempt > 1 || isTriggered || write === undefined || startedWall - dueWall <= limitMs)
      return []
    // It became known after it was due, or slept when it was, or waited for the firing before it.
    const wasLate = startedAt - write.endedAt! <= limitMs
    const hasOthers = timer.operations.some(({ type }) => type !== 'create' && type !== 'get')
    const waited = timer.arrivals.some(
      (other) =>
        other !== arrival && (other.answeredAt ?? Infinity) >= startedAt - limitMs && other.startedAt < startedAt,
    )
    if (wasLate || hasOthers || waited || hasSlowTargets(arrival, history)) return []
    const promise = settings.isCalm ? 'punctual' : 'fair'
    return [
      {
        promise,
        timer: timer.name,
        text: `revision ${revision} started ${startedWall - dueWall} ms late (${PROMISES[promise]})`,
      },
    ]
  })
}

/** Its own namespace has deliveries under way, or had until just now, that do not end soon: they take slots of its tenant and its targets. */
function hasSlowTargets({ startedAt, timer }: Arrival, { arrivals }: History): boolean {
  const namespace = timer.slice(0, timer.indexOf('/') + 1)
  return arrivals.some(
    (other) =>
      other.timer.startsWith(namespace) &&
      other.behaviour.type !== 'ok' &&
      other.startedAt < startedAt &&
      (other.answeredAt ?? Infinity) > startedAt - RECOVERS_MS,
  )
}
