// How PostgreSQL says what questions ask. Lists of values are bound as arrays, and what is read for each of many keys is a
// lateral join, so that one statement and one text do for any number of them. Which index leads to the rows is its planner's
// choice. Metadata have an index of their own.

import type { Cell, ColumnType } from '../row/columns.ts'
import type { Dialect, MetadataFilter } from '../sql/dialect.ts'
import { questionsFor } from '../sql/questions/questions.ts'
import { scopeTerm } from '../sql/questions/scope.ts'
import { limitedUnion, rowIsBehind } from '../sql/statement.ts'
import type { Statement, Value } from '../sql/statement.ts'
import { columnParameter } from './connection/array-parameters.ts'
import { ARRAY_TYPES, ELEMENT_TYPES } from './connection/column-types.ts'
import { UNFOLDED_COUNTERS } from './counter-log.ts'

export const POSTGRES: Dialect = {
  parameter: (position, type) => `$${position}::${ARRAY_TYPES[ELEMENT_TYPES[type]]}`,
  isOneOf: (column, type, values, statement) => `${column} = ANY (${arrayOf(type, values, statement)})`,
  listed: (type, values, statement) => `unnest(${arrayOf(type, values, statement)}) AS listed (value)`,
  forEach: (type, keys, select, statement) =>
    `unnest(${arrayOf(type, keys, statement)}) AS each_key (key) CROSS JOIN LATERAL (${select('each_key.key')}) AS of_key`,
  forEachOf: (keys, select) => `(${keys}) AS each_key (key) CROSS JOIN LATERAL (${select('each_key.key')}) AS of_key`,
  keysMax: Infinity,
  isBehind: rowIsBehind,
  hasLooseScan: false,
  concat: (a, b) => `${a} || ${b}`,
  readAs: {},
  bytesOf: (column) => `octet_length(${column})`,
  by: () => '',
  stretch: (range, rowsMax) => `(SELECT * FROM ${range} LIMIT ${rowsMax}) AS stretch`,
  stretchOrder: (key) => `ORDER BY ${key}`,
  merged: limitedUnion,
  unfoldedCounters: UNFOLDED_COUNTERS,
  isAskable: (value) => typeof value !== 'string' || (value.isWellFormed() && !value.includes('\0')),
  hasMetadata,
  metadataIndex: {
    found: () => 'TRUE', // by the condition on the row itself
    counted: (filter, statement) =>
      `timers WHERE ${scopeTerm(filter, statement) ?? 'TRUE'} AND ${hasMetadata(filter, statement)}`,
  },
  limits: {
    listRows: 50_000, // about 50 ms
    listRowsWithMetadata: 10_000, // each row's JSON is parsed, which takes about as long
    namespacesMerged: 100,
    timersSorted: 50_000,
    upcomingRows: 200_000, // of all namespaces: read from the index alone, in about 100 ms
    runsAtOnce: Infinity, // every block would be a round trip
  },
}

export const POSTGRES_QUESTIONS = questionsFor(POSTGRES)

function arrayOf(type: ColumnType, values: readonly Value[], statement: Statement): string {
  const position = statement.values.push(columnParameter(ELEMENT_TYPES[type], values as readonly Cell[]))
  return `$${position}::${ARRAY_TYPES[ELEMENT_TYPES[type]]}[]`
}

/** The metadata as jsonb; the text of an index, so it is the same everywhere. */
const METADATA = 'timer_metadata_json(timer_metadata)'

/** Containment compares values with their types, and is what the index can do. A cast of a text would be made for each row. */
function hasMetadata({ metadataKey, metadataValues }: MetadataFilter, statement: Statement): string {
  const isThere = () => `${METADATA} ? ${statement.bind(metadataKey!, 'text')} AND jsonb_typeof(${METADATA}) = 'object'`
  const json = (value: unknown) => `$${statement.values.push(JSON.stringify({ [metadataKey!]: value }))}::jsonb`
  const matching = metadataValues?.map((value) => `${METADATA} @> ${json(value)}`) ?? [isThere()]
  return `(timer_metadata IS NOT NULL AND (${matching.join(' OR ') || 'FALSE'}))`
}
