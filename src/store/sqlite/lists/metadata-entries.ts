// An index of metadata: a row in timer_metadata for each entry at the top level of a timer's metadata, written with the
// timer. Timers without metadata have none and cost nothing.

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { entryValue, shortened } from './metadata-terms.ts'

export type MetadataChange = {
  readonly namespace: string
  readonly uuid: string
  /** As JSON text. */
  readonly before: string | null
  readonly after: string | null
}

export class MetadataEntries {
  readonly #insert: StatementSync
  readonly #delete: StatementSync

  constructor(db: DatabaseSync) {
    // Two long keys may be the same once they are cut.
    this.#insert = db.prepare('INSERT OR IGNORE INTO timer_metadata VALUES (?, ?, ?, unhex(?))')
    this.#delete = db.prepare(
      'DELETE FROM timer_metadata WHERE metadata_key = ? AND metadata_value = ? AND timer_namespace = ? AND timer_uuid = unhex(?)',
    )
  }

  replace({ namespace, uuid, before, after }: MetadataChange): void {
    for (const [key, value] of entriesOf(before)) this.#delete.run(shortened(key), entryValue(value), namespace, uuid)
    for (const [key, value] of entriesOf(after)) this.#insert.run(shortened(key), entryValue(value), namespace, uuid)
  }
}

function entriesOf(json: string | null): [key: string, value: unknown][] {
  const metadata: unknown = json === null ? null : JSON.parse(json)
  return typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata) ? Object.entries(metadata) : []
}
