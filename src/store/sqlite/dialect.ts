// How SQLite says what questions ask. It has no statistics to choose an index by, so indexes are named. Lists of values are bound
// as one JSON text, so that a statement's text does not depend on their number.

import type { Dialect, MetadataFilter } from '../sql/dialect.ts'
import { ENTRY_INDEX } from '../sql/questions/metadata-entries.ts'
import { questionsFor } from '../sql/questions/questions.ts'
import { rowIsBehind, unionOfEach } from '../sql/statement.ts'
import type { Statement } from '../sql/statement.ts'
import { PAYLOAD_BYTES_SQL, PAYLOAD_SQL } from './payloads.ts'

export const SQLITE: Dialect = {
  parameter: (position, type) => (type === 'uuid' ? `unhex(?${position})` : `?${position}`),
  isOneOf: (column, type, values, statement) => {
    if (values.length === 1) return `${column} = ${statement.bind(values[0]!, type)}`
    const list = statement.bind(JSON.stringify(values), 'text')
    return `${column} IN (SELECT ${type === 'uuid' ? 'unhex(value)' : 'value'} FROM json_each(${list}))`
  },
  listed: (_, values, statement) => `json_each(${statement.bind(JSON.stringify(values), 'text')}) AS listed`,
  forEach: unionOfEach,
  keysMax: 200, // 500 is what a UNION can take
  isBehind: rowIsBehind,
  hasLooseScan: false,
  concat: (a, b) => `${a} || ${b}`,
  readAs: { timer_uuid: 'lower(hex(timer_uuid))', timer_payload: PAYLOAD_SQL },
  bytesOf: (column) => (column === 'timer_payload' ? PAYLOAD_BYTES_SQL : `octet_length(${column})`),
  by: (index) => {
    if (index === 'primary') return 'INDEXED BY timers_in_order'
    return `INDEXED BY ${index === 'timers_by_metadata' ? 'timers_by_uuid' : index}`
  },
  // Only keys are sorted; the cross join then takes their rows one by one, in this order, until there are enough.
  stretch: (range, rowsMax) =>
    `(SELECT rowid AS place FROM ${range} LIMIT ${rowsMax}) AS stretch CROSS JOIN timers ON timers.rowid = stretch.place`,
  stretchOrder: () => '',
  merged: (selects) => selects.join(' UNION ALL '),
  unfoldedCounters: null,
  isAskable: () => true,
  hasMetadata,
  metadataIndex: ENTRY_INDEX,
  limits: {
    listRows: 50_000, // about 30 ms, as each of these
    listRowsWithMetadata: 10_000,
    namespacesMerged: 50,
    timersSorted: 50_000,
    upcomingRows: 50_000,
    runsAtOnce: 4,
  },
}

export const SQLITE_QUESTIONS = questionsFor(SQLITE)

/** JSON values are equal only if their types are. json_each compares a key as it is, whatever characters it has. */
function hasMetadata({ metadataKey, metadataValues }: MetadataFilter, statement: Statement): string {
  const matching = metadataValues?.map((value) => {
    if (typeof value === 'boolean') return `type = '${value}'`
    const types = typeof value === 'string' ? `type = 'text'` : `type IN ('integer', 'real')`
    return `${types} AND atom = ${statement.bind(value, 'text')}`
  })
  const isOneOf = matching === undefined ? 'TRUE' : `(${matching.map((term) => `(${term})`).join(' OR ')})`
  const key = statement.bind(metadataKey!, 'text')
  return `EXISTS (SELECT 1 FROM json_each(timer_metadata) WHERE key = ${key} AND ${isOneOf})`
}
