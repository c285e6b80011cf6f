// Timers of all kinds in many namespaces, and questions for pages of them. Used by tests of adapters.

import fc from 'fast-check'
import type { NamespacePattern } from '../../core/access/access.ts'
import { isFinished, NEVER, Status } from '../../core/timer/timer.ts'
import type { JsonText, Namespace, Timer, TimerId } from '../../core/timer/timer.ts'
import { SAMPLE_NOW, sampleTimer } from './sample-timer.ts'
import type { PageFilter, PageQuery } from '../store.ts'

export const STATUSES = Object.values(Status)

/** All kinds of timers in many namespaces and some shards, with few different times. */
export function manyTimers(namespaces: number): Timer[] {
  return Array.from({ length: 400 }, (_, i) => {
    const status = STATUSES[(i * 7) % STATUSES.length]!
    const dueAt = SAMPLE_NOW + ((i * 13) % 17)
    const wakeAt =
      status === Status.paused ? NEVER : isFinished({ status }) ? SAMPLE_NOW + (i % 29) : dueAt + (i % 3 === 0 ? 5 : 0)
    return sampleTimer({
      namespace: `ns.${i % namespaces}` as Namespace,
      id: `t${i}` as TimerId,
      status,
      dueAt,
      wakeAt,
      createdAt: SAMPLE_NOW + (i % 23),
      ...(i % 4 === 0 && { schedule: i % 8 === 0 ? 'R/PT1H' : 'R3/PT1H', anchorAt: SAMPLE_NOW }),
      timeZone: i % 6 === 0 ? 'Europe/Vienna' : null,
      metadata: (i % 5 === 0 ? `{"k":${i % 3}}` : null) as JsonText | null,
    })
  })
}

const filter = fc.record(
  {
    namespace: fc.constantFrom('ns.1', 'ns.2', 'none') as fc.Arbitrary<Namespace>,
    namespaces: fc.uniqueArray(fc.constantFrom('ns.*', 'ns.1*', 'ns.2', '*')) as fc.Arbitrary<string[]> as fc.Arbitrary<
      NamespacePattern[]
    >,
    statuses: fc.uniqueArray(fc.constantFrom(...STATUSES)),
    kind: fc.constantFrom('once', 'cycle'),
    metadataKey: fc.constantFrom('k', 'none'),
    metadataValues: fc.uniqueArray(fc.constantFrom(0, 1, '1')),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<unknown> as fc.Arbitrary<PageFilter>

export const pageQueries = fc.record({
  filter,
  sort: fc.constantFrom('createdAt', 'dueAt'),
  descending: fc.boolean(),
  offset: fc.nat({ max: 410 }),
  limit: fc.integer({ min: 1, max: 30 }),
}) as fc.Arbitrary<PageQuery>
