// Timers of one shard become timers of another, in one statement. Both shards' rows are locked in the order of the shards, as commits
// do, and their fences are looked at under the lock.

import { RowType } from '../row/columns.ts'
import type { Row } from '../sql/statement.ts'
import type { RowMove } from '../store.ts'
import { columnParameter } from './connection/array-parameters.ts'
import type { Query } from './connection/connections.ts'

const MOVE = `
  WITH fences AS MATERIALIZED (
    SELECT shard_id FROM timers
    WHERE row_type = ${RowType.shard} AND (
      (shard_id = $1::integer AND shard_epoch = $2::bigint AND shard_owner = $3::text)
      OR (shard_id = $4::integer AND shard_epoch = $5::bigint AND shard_owner = $6::text)
    )
    ORDER BY shard_id FOR NO KEY UPDATE
  ), moved AS (
    UPDATE timers SET shard_id = $4::integer
    WHERE timer_uuid = ANY ($7::uuid[]) AND shard_id = $1::integer AND row_type > ${RowType.shard}
      AND (SELECT count(*) FROM fences) = 2
  )
  SELECT count(*) FROM fences`

export function moveQuery({ from, to, timers }: RowMove): Query {
  const uuids = columnParameter(
    'uuid',
    timers.map(({ uuid }) => uuid),
  )
  const values = [from.shard, from.epoch, from.owner, to.shard, to.epoch, to.owner, uuids]
  return { name: 'move', text: MOVE, values }
}

/** Whether both fences were the current ones. */
export function isMoved([row]: readonly Row[]): boolean {
  return Number(row![0]) === 2
}
