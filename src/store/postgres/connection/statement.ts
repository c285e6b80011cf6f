// The text of a statement that depends on what is asked for, and the values that are bound to it.

import { prefixOf } from '../../../core/access/access.ts'
import type { NamespacePattern } from '../../../core/access/access.ts'
import type { NamespaceScope } from '../../store.ts'
import { columnParameter } from './array-parameters.ts'
import type { Connections, Parameter, Row } from './connections.ts'

type SqlType = 'text' | 'text[]' | 'bigint' | 'smallint' | 'smallint[]' | 'uuid' | 'uuid[]' | 'jsonb' | 'jsonb[]'

/** Values are bound, never written into the text. */
export class Statement {
  readonly values: Parameter[] = []

  bind(value: Parameter, type: SqlType): string {
    return `$${this.values.push(value)}::${type}`
  }

  bindTexts(texts: readonly string[]): string {
    return this.bind(columnParameter('text', texts), 'text[]')
  }
}

/** Runs such statements, prepared under a name for each text. There are as many as combinations of filters, a few dozen. */
export class PreparedReads {
  readonly #connections: Connections
  readonly #kind: string
  readonly #names = new Map<string, string>()

  constructor(connections: Connections, kind: string) {
    this.#connections = connections
    this.#kind = kind
  }

  read(text: string, { values }: Statement): Promise<Row[]> {
    let name = this.#names.get(text)
    if (name === undefined) this.#names.set(text, (name = `${this.#kind}-${this.#names.size}`))
    return this.#connections.read({ name, text, values })
  }
}

type Cut = { readonly order: string; readonly columns: string; readonly bytesMax: number }

/**
 * The first rows of a SELECT with `bytes`, as far as their sum allows, and one at least; `found` is how many there were. Large
 * texts lie outside of their rows and are fetched only for those that are left.
 */
export function cutToBytes(rows: string, { order, columns, bytesMax }: Cut, statement: Statement): string {
  return `
    SELECT ${columns} FROM (
      SELECT *, sum(bytes) OVER (ORDER BY ${order} ROWS UNBOUNDED PRECEDING) AS bytes_so_far, count(*) OVER () AS found
      FROM (${rows}) AS rows
    ) AS summed
    WHERE bytes_so_far <= ${statement.bind(bytesMax, 'bigint')} OR bytes_so_far = bytes
    ORDER BY ${order}`
}

/** A condition on `timer_namespace`. */
export function inScope({ namespace, namespaces }: NamespaceScope, statement: Statement): string {
  const terms: string[] = []
  if (namespace !== undefined) terms.push(`timer_namespace = ${statement.bind(namespace, 'text')}`)
  if (namespaces !== undefined) terms.push(matchesPatterns(namespaces, statement))
  return terms.length === 0 ? 'true' : terms.join(' AND ')
}

export function matchesPatterns(patterns: readonly NamespacePattern[], statement: Statement): string {
  const names = patterns.filter((pattern) => prefixOf(pattern) === null)
  const prefixes = patterns.map(prefixOf).filter((prefix) => prefix !== null)
  const begins = `SELECT 1 FROM unnest(${statement.bindTexts(prefixes)}) AS one (prefix) WHERE starts_with(timer_namespace, prefix)`
  return `(timer_namespace = ANY (${statement.bindTexts(names)}) OR EXISTS (${begins}))`
}

/** The metadata as jsonb; the text of an index, so it is the same everywhere. */
export const METADATA = 'timer_metadata_json(timer_metadata)'

/** What PostgreSQL cannot even be asked for; no timer is found by it. */
export function isAskable(value: unknown): boolean {
  return typeof value !== 'string' || (value.isWellFormed() && !value.includes('\0'))
}
