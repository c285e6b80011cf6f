// How MySQL, MariaDB and TiDB say what questions ask, in what all three of them can: no lateral joins, no JSON tables, no
// partial indexes, and comparisons of rows spelled out, since none of them uses an index for a row value.

import type { Dialect, MetadataFilter } from '../sql/dialect.ts'
import { ENTRY_INDEX } from '../sql/questions/metadata-entries.ts'
import { columnIsBehind, limitedUnion, unionOfEach } from '../sql/statement.ts'
import type { Statement } from '../sql/statement.ts'
import { literal } from './connection/literals.ts'

export const MYSQL: Dialect = {
  // A uuid is 16 bytes.
  literal: (value, type) => (type === 'uuid' ? `X${literal(value)}` : literal(value)),
  // For the statements that are made once; see `written`.
  parameter: (position, type) => (type === 'uuid' ? `X?${position}` : `?${position}`),
  isOneOf: (column, type, values, statement) => {
    if (values.length === 0) return 'FALSE'
    return `${column} IN (${values.map((value) => statement.bind(value, type)).join(', ')})`
  },
  listed: (type, values, statement) =>
    `(${values.map((value) => `SELECT ${statement.bind(value, type)} AS value`).join(' UNION ALL ')}) AS listed`,
  forEach: unionOfEach,
  keysMax: 100, // each is a part of the text
  isBehind: columnIsBehind,
  hasLooseScan: true, // TiDB reads all of the index instead; it has no recursion by which to do better
  concat: (a, b) => `CONCAT(${a}, ${b})`,
  readAs: { timer_uuid: 'LOWER(HEX(timer_uuid))' },
  bytesOf: (column) => `OCTET_LENGTH(${column})`,
  by: (index) => {
    if (index === 'timer_outbox_by_shard' || index === 'primary') return 'FORCE INDEX (PRIMARY)'
    return `FORCE INDEX (${index === 'timers_by_metadata' ? 'timers_by_uuid' : index})`
  },
  stretch: (range, rowsMax, key) =>
    `(SELECT shard_id, ${key} FROM ${range} LIMIT ${rowsMax}) AS stretch JOIN timers USING (shard_id, ${key})`,
  stretchOrder: (key) => `ORDER BY ${key}`,
  merged: limitedUnion,
  unfoldedCounters: 'timer_counter_log',
  isAskable: (value) => typeof value !== 'string' || value.isWellFormed(),
  hasMetadata,
  metadataIndex: ENTRY_INDEX,
  limits: {
    listRows: 20_000, // what is read is kept in a temporary table
    listRowsWithMetadata: 10_000,
    namespacesMerged: 50,
    timersSorted: 50_000,
    upcomingRows: 50_000,
    runsAtOnce: 4,
  },
}

/** JSON_CONTAINS compares values with their types, and looks into arrays, too. */
function hasMetadata({ metadataKey, metadataValues }: MetadataFilter, statement: Statement): string {
  const path = `CONCAT('$.', JSON_QUOTE(${statement.bind(metadataKey!, 'text')}))`
  if (metadataValues === undefined) return `JSON_CONTAINS_PATH(timer_metadata, 'one', ${path})`
  const isEqual = metadataValues.map((value) => {
    return `JSON_CONTAINS(timer_metadata, ${statement.bind(JSON.stringify(value), 'text')}, ${path})`
  })
  const isScalar = `JSON_TYPE(JSON_EXTRACT(timer_metadata, ${path})) NOT IN ('ARRAY', 'OBJECT')`
  return isEqual.length === 0 ? 'FALSE' : `${isScalar} AND (${isEqual.join(' OR ')})`
}
