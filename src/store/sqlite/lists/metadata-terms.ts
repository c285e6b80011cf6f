// The metadata filter as SQL: on a row's own JSON, and on the entries in timer_metadata that lead to the rows.

import type { SQLInputValue } from 'node:sqlite'
import type { PageFilter } from '../../store.ts'

export type Values = Readonly<Record<string, SQLInputValue>>
export type Term = { readonly sql: string; readonly values: Values }

type MetadataFilter = Pick<PageFilter, 'metadataKey' | 'metadataValues'>

const TEXT_CHARS_MAX = 100 // as long as the texts in timer_metadata
const TRUE = new Uint8Array([1])
const FALSE = new Uint8Array([0])
const OTHER = new Uint8Array([])

/** What the entries must be. Texts are compared as far as they are kept. */
export function metadataEntries({ metadataKey, metadataValues }: MetadataFilter, allNamespaces: boolean): Term {
  const terms = ['metadata_key = $entryKey']
  const values: Record<string, SQLInputValue> = { $entryKey: shortened(metadataKey!) }
  if (metadataValues !== undefined) {
    for (const [index, value] of metadataValues.entries()) values[`$entryValue${index}`] = entryValue(value)
    terms.push(`metadata_value IN (${metadataValues.map((_, index) => `$entryValue${index}`).join(', ')})`)
  }
  if (!allNamespaces) terms.push('timer_namespace IN (SELECT value FROM json_each($namespaces))')
  return { sql: terms.join(' AND '), values }
}

/** Whether the entries alone say that a row matches. */
export function isKeptWhole({ metadataKey, metadataValues = [] }: MetadataFilter): boolean {
  return [metadataKey, ...metadataValues].every((text) => typeof text !== 'string' || shortened(text) === text)
}

/** What the row's own JSON must be; null without such a filter. JSON values are equal only if their types are. */
export function metadataTerm({ metadataKey, metadataValues }: MetadataFilter): Term | null {
  if (metadataKey === undefined) return null
  const values: Record<string, SQLInputValue> = { $key: metadataKey }
  const matching = metadataValues?.map((value, index) => {
    if (typeof value === 'boolean') return `type = '${value}'`
    values[`$value${index}`] = value
    return typeof value === 'string'
      ? `type = 'text' AND atom = $value${index}`
      : `type IN ('integer', 'real') AND atom = $value${index}`
  })
  const isOneOf = matching === undefined ? 'TRUE' : `(${matching.map((term) => `(${term})`).join(' OR ')})`
  return { sql: `EXISTS (SELECT 1 FROM json_each(timer_metadata) WHERE key = $key AND ${isOneOf})`, values }
}

/** What an entry has for a JSON value: its type can be told by that of the entry. Values that nobody can ask for are all alike. */
export function entryValue(value: unknown): SQLInputValue {
  if (typeof value === 'boolean') return value ? TRUE : FALSE
  if (typeof value === 'number') return value
  return typeof value === 'string' ? shortened(value) : OTHER
}

/** As SQLite counts: in characters, not in UTF-16 units. */
export function shortened(text: string): string {
  return text.length <= TEXT_CHARS_MAX ? text : Array.from(text).slice(0, TEXT_CHARS_MAX).join('')
}
