// The timers and questions of a random walk: few of each, so that operations meet each other.

import fc from 'fast-check'
import type { NamespacePattern } from '../../core/access/access.ts'
import { isFinished, NEVER, Status } from '../../core/timer/timer.ts'
import type { Epoch, JsonText, Namespace, ShardId, Timer, TimerId } from '../../core/timer/timer.ts'
import type { Fault } from './faulty-store.ts'
import { SAMPLE_NOW, sampleTimer } from './sample-timer.ts'
import type { ListFilter, PageFilter, TallyQuery } from '../store.ts'

export const SHARDS = [0, 1, 300] as ShardId[]
export const shard = fc.constantFrom(...SHARDS)
/** A timer has one shard for good. */
export const homeOf = ({ uuid }: Timer): ShardId => SHARDS[Number.parseInt(uuid.slice(-6), 16) % SHARDS.length]!
export const epoch = fc.nat({ max: 3 }) as fc.Arbitrary<Epoch>
const namespace = fc.constantFrom('default', 'other') as fc.Arbitrary<Namespace>
export const time = fc.nat({ max: 6 }).map((step) => SAMPLE_NOW + step)
const status = fc.constantFrom(...Object.values(Status))
const LONG = 'é'.repeat(150)
const metadata = fc.constantFrom(
  null,
  '{"k":1}',
  '{"k":"1","x":true}',
  `{"k":"${LONG}","x":null}`,
) as fc.Arbitrary<JsonText | null>
const cycle = fc.constantFrom(null, 'R/PT1H', 'R3/PT1H')
const version = fc.integer({ min: 1, max: 4 })

export const timer = fc
  .record({
    namespace,
    id: fc.constantFrom('a', 'b', 'c', 'd', 'é/1') as fc.Arbitrary<TimerId>,
    version,
    status,
    dueAt: time,
    wait: time,
    createdAt: time,
    metadata,
    cycle,
    timeZone: fc.constantFrom(null, 'Europe/Vienna'),
  })
  .map(({ wait, cycle: schedule, ...fields }): Timer => {
    const retried = Math.max(wait, fields.dueAt)
    const wakeAt = fields.status === Status.paused ? NEVER : isFinished(fields) ? wait : retried
    return sampleTimer({ ...fields, wakeAt, ...(schedule !== null && { schedule, anchorAt: fields.createdAt }) })
  })

const isStale = fc.nat({ max: 4 }).map((dice) => dice === 0)
/** A commit is answered as a rule. */
export const fault = fc.constantFrom<Fault | null>(
  null,
  null,
  null,
  { type: 'refused' },
  { type: 'lost', doneAfterMs: 0 },
  { type: 'lost', doneAfterMs: null },
)
export const part = fc.record({ shard, isStale, timers: fc.array(fc.tuple(timer, fc.boolean()), { maxLength: 6 }) })

const pattern = fc.constantFrom(
  'default',
  'other',
  'd*',
  'o*',
  '*',
  'none',
) as fc.Arbitrary<string> as fc.Arbitrary<NamespacePattern>
export const scope = { namespace, namespaces: fc.uniqueArray(pattern) }
export const filter = fc.record(
  {
    ...scope,
    statuses: fc.uniqueArray(status),
    dueFrom: time,
    dueTo: time,
    metadataKey: fc.constantFrom('k', 'x', 'none'),
    metadataValue: fc.constantFrom(1, '1', true),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<unknown> as fc.Arbitrary<ListFilter>

export const sort = fc.constantFrom('createdAt', 'dueAt')
export const pageFilter = fc.record(
  {
    ...scope,
    statuses: fc.uniqueArray(status),
    kind: fc.constantFrom('once', 'cycle'),
    metadataKey: fc.constantFrom('k', 'x', 'none'),
    metadataValues: fc.uniqueArray(fc.constantFrom(1, '1', true, LONG)),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<unknown> as fc.Arbitrary<PageFilter>
export const tallyQuery = fc.record(
  { ...scope, since: fc.constantFrom(null, SAMPLE_NOW) },
  { requiredKeys: ['since'] },
) as fc.Arbitrary<TallyQuery>
