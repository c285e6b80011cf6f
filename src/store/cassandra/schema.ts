// The two tables. `timers` has a partition for each shard, with rows of several types, each in an order of its own; what a
// commit checks and changes is in one partition, so that one conditional batch can do it. The static columns are the
// fence of the shard and where its ordered rows begin. `cluster` has what belongs to no shard.
//
//   row_type  position         name        what
//   fence     0                ''          always there, and first: whoever reads it gets the static columns
//   timer     0                uuid        a timer
//   live      wake time        uuid        the place of a live timer in the due order
//   finished  end of retention uuid        the same of a finished one
//   counters  slot             namespace   counters by name
//   event     number           ''          the outbox

import { RowType, TIMER_COLUMNS } from '../row/columns.ts'
import type { ColumnName, ColumnType } from '../row/columns.ts'

export const Type = {
  fence: 0,
  timer: 1,
  live: RowType.live,
  finished: RowType.finished,
  counters: 4,
  event: 5,
} as const

/** Types whose rows come at the end and go at the beginning, and the static column that says where the first can be. */
export const RUNS = {
  [Type.live]: 'first_live',
  [Type.finished]: 'first_finished',
  [Type.event]: 'first_event',
} as const
export type Run = typeof Type.live | typeof Type.finished | typeof Type.event

const CQL_TYPES: Readonly<Record<ColumnType, string>> = {
  small: 'tinyint',
  shard: 'int',
  integer: 'bigint',
  time: 'bigint',
  uuid: 'text',
  name: 'text',
  text: 'text',
}

/** Of a timer. Its type follows from its status, and its uuid is in the key. */
export const COLUMNS = TIMER_COLUMNS.filter(({ name }) => name !== 'row_type' && name !== 'timer_uuid') as readonly {
  readonly name: Exclude<ColumnName, 'row_type' | 'timer_uuid'>
  readonly type: ColumnType
}[]

// Leveled: every commit reads the rows that it has conditions on, and lists read partitions, so a row should be in few files.
// The grace is Cassandra's own default, written down since it is a promise: a node that was away for longer must be rebuilt.
const COMPACTION = `compaction = {'class': 'LeveledCompactionStrategy'} AND gc_grace_seconds = 864000`

export const TABLES: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS timers (
    shard int, row_type tinyint, position bigint, name text,
    epoch bigint static, owner text static, commits bigint static, last_commit text static,
    ${Object.values(RUNS)
      .map((mark) => `${mark} bigint static`)
      .join(', ')},
    ${COLUMNS.map(({ name, type }) => `${name} ${CQL_TYPES[type]}`).join(', ')},
    counts map<text, bigint>, event_at bigint, event text,
    PRIMARY KEY (shard, row_type, position, name)
  ) WITH ${COMPACTION}`,
  `CREATE TABLE IF NOT EXISTS cluster (
    place text, kind text, name text,
    epoch bigint, owner text,
    address text, leaving boolean, labels text, beat bigint, skew bigint,
    format int, shards int, secret text,
    PRIMARY KEY (place, kind, name)
  ) WITH ${COMPACTION}`,
]
