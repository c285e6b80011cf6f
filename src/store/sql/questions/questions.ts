// Everything that is asked of an SQL database with the same statements, whichever it is. A question's name and argument can be
// handed to another thread.

import type { Epoch, ShardId } from '../../../core/timer/timer.ts'
import type {
  DueScan,
  ListQuery,
  NamespaceScope,
  PageQuery,
  RowScan,
  ShardRow,
  Store,
  TallyQuery,
  UpcomingQuery,
} from '../../store.ts'
import type { Dialect } from '../dialect.ts'
import { Statement } from '../statement.ts'
import type { Question } from '../statement.ts'
import { SELECT_SHARDS } from '../timer-sql.ts'
import { stats, tallies } from './counters.ts'
import { list } from './list.ts'
import { countEvents, readEvents, removeEvents } from './outbox.ts'
import { page } from '../pages/page.ts'
import { due, dueShards, expired, getMany, scan } from './timers.ts'
import { upcoming } from './upcoming.ts'

type Argument<Name extends keyof Store> = Store[Name] extends (argument: infer One) => unknown ? One : never

export function questionsFor(dialect: Dialect) {
  return {
    getMany: (uuids: readonly string[]) => getMany(dialect, uuids),
    due: (look: DueScan) => due(dialect, look),
    dueShards: (look: Argument<'dueShards'>) => dueShards(dialect, look),
    expired: (look: Argument<'expired'>) => expired(dialect, look),
    scan: (rows: RowScan) => scan(dialect, rows),
    shards: () => shards(dialect),
    readEvents: (read: Argument<'readEvents'>) => readEvents(dialect, read),
    removeEvents: (published: Argument<'removeEvents'>) => removeEvents(dialect, published),
    countEvents: (some: readonly ShardId[]) => countEvents(dialect, some),
    list: (query: ListQuery) => list(dialect, query),
    page: (query: PageQuery) => page(dialect, query),
    stats: (scope: NamespaceScope) => stats(dialect, scope),
    tallies: (query: TallyQuery) => tallies(dialect, query),
    upcoming: (query: UpcomingQuery) => upcoming(dialect, query),
  }
}

export type Questions = ReturnType<typeof questionsFor>
export type QuestionName = keyof Questions
/** What a question takes; null where there is nothing to say. */
export type Asked<Name extends QuestionName> = Name extends 'shards' ? null : Parameters<Questions[Name]>[0]
export type Answered<Name extends QuestionName> = ReturnType<Questions[Name]> extends Question<infer T> ? T : never

function* shards(dialect: Dialect): Question<ShardRow[]> {
  const rows = yield new Statement(dialect).query(SELECT_SHARDS)
  return rows.map(([shard, epoch, owner]) => {
    return { shard: shard as ShardId, epoch: epoch as Epoch, owner: owner as string | null }
  })
}
