// The two tables. `timers` has a partition for each shard, with rows in the order of their sort keys; see keyed/sort-keys.ts. What a
// commit checks and changes is in one partition, so that one conditional batch can do it. `cluster` has what belongs to no shard.
//
//   sort                          what
//   fence                         always there: whoever reads it gets the static columns, the fence of the shard
//   timer/<uuid>                  a timer; `due` is its place in the due order
//   2/<wake time>/<uuid>, 3/…     the place of a live timer, and of a finished one
//   count/…                       counters
//   event/<number>                the outbox
//
// `item` is everything that nobody has conditions on, as JSON. The payload is beside it: it can be large, and seldom changes.

/** Rows that come at the end and go at the beginning. The static column `firsts` says where the first of each can be, as JSON. */
export const RUNS = ['2', '3', 'event'] as const
export type Run = (typeof RUNS)[number]
export type Firsts = Readonly<Record<Run, string>>
export const AT_BEGINNING: Firsts = { '2': '2/', '3': '3/', event: 'event/' }

/** Undefined for a row that is not part of one. */
export function runOf(sort: string): Run | undefined {
  return RUNS.find((run) => sort.startsWith(AT_BEGINNING[run]))
}

// Leveled: every commit reads the rows that it has conditions on, and lists read partitions, so a row should be in few files.
// The grace is Cassandra's own default, written down since it is a promise: a node that was away for longer must be rebuilt.
const COMPACTION = `compaction = {'class': 'LeveledCompactionStrategy'} AND gc_grace_seconds = 864000`

export const TABLES: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS timers (
    shard int, sort text,
    epoch bigint static, owner text static, commits bigint static, last_commit text static, firsts text static,
    version bigint, due text, name text, item text, payload text,
    PRIMARY KEY (shard, sort)
  ) WITH ${COMPACTION}`,
  `CREATE TABLE IF NOT EXISTS cluster (
    place text, sort text,
    epoch bigint, owner text, claimed text, beat bigint, at timestamp, item text,
    PRIMARY KEY (place, sort)
  ) WITH ${COMPACTION}`,
]
