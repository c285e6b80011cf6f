// An index of metadata for databases that have none of their own: a row in timer_metadata for each entry at the top level of a
// timer's metadata, written with the timer. Timers without metadata have none and cost nothing.

import { createHash } from 'node:crypto'
import type { PageFilter } from '../../store.ts'
import type { Dialect, MetadataIndex } from '../dialect.ts'
import type { Statement } from '../statement.ts'
import { scopeTerm } from './scope.ts'

const TEXT_CHARS_MAX = 100
const KEPT_CHARS = 50 // of a longer one, before its hash

export type Entry = readonly [key: string, value: string]

export function entriesOf(json: string | null): Entry[] {
  const metadata: unknown = json === null ? null : JSON.parse(json)
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return []
  return Object.entries(metadata).map(([key, value]) => [entryText(key), entryValue(value)])
}

/** The type of a value can be told by its first character. Values that nobody can ask for are all alike. */
function entryValue(value: unknown): string {
  if (typeof value === 'string') return `"${entryText(value)}`
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

/** Short enough for a key of every database, and another one for every text. */
function entryText(text: string): string {
  if (text.length <= TEXT_CHARS_MAX) return text
  return `${text.slice(0, KEPT_CHARS).toWellFormed()}${createHash('sha256').update(text).digest('base64url')}`
}

/** Parameters, also to delete one: key, value, namespace, uuid. */
export function insertEntry({ parameter }: Dialect): string {
  return `
    INSERT INTO timer_metadata (metadata_key, metadata_value, timer_namespace, timer_uuid)
    VALUES (${parameter(1, 'name')}, ${parameter(2, 'name')}, ${parameter(3, 'name')}, ${parameter(4, 'uuid')})`
}

export function deleteEntry({ parameter }: Dialect): string {
  return `
    DELETE FROM timer_metadata
    WHERE metadata_key = ${parameter(1, 'name')} AND metadata_value = ${parameter(2, 'name')}
      AND timer_namespace = ${parameter(3, 'name')} AND timer_uuid = ${parameter(4, 'uuid')}`
}

export const ENTRY_INDEX: MetadataIndex = {
  found: (filter, statement) =>
    `timer_uuid IN (SELECT timer_uuid FROM timer_metadata WHERE ${entriesTerm(filter, statement)})`,
  counted: (filter, statement) => `timer_metadata WHERE ${entriesTerm(filter, statement)}`,
}

function entriesTerm({ metadataKey, metadataValues, ...scope }: PageFilter, statement: Statement): string {
  const terms = [`metadata_key = ${statement.bind(entryText(metadataKey!), 'name')}`]
  if (metadataValues !== undefined) {
    terms.push(statement.dialect.isOneOf('metadata_value', 'name', metadataValues.map(entryValue), statement))
  }
  const inScope = scopeTerm(scope, statement)
  if (inScope !== null) terms.push(inScope)
  return terms.join(' AND ')
}
