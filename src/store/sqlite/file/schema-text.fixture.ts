// The schema of a file as one text, for the snapshot. Used by tests only.

import type { DatabaseSync } from 'node:sqlite'

export function schemaText(db: DatabaseSync): string {
  const rows = db.prepare('SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name').all()
  return rows.map((row) => `${row['sql'] as string};\n`.replaceAll('\n    ', '\n  ').replace('\n  )', '\n)')).join('\n')
}
