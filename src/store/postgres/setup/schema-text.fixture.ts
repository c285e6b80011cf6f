// The schema of a database as one text, read from the catalogs, for the snapshot. Used by tests only.

import type pg from 'pg'

const TABLES = `
  SELECT c.relname AS name, array_to_string(c.reloptions, ', ') AS options,
    (
      SELECT string_agg('  ' || attname || ' ' || format_type(atttypid, atttypmod)
        || CASE WHEN attcollation <> 0 AND collname <> 'default' THEN ' COLLATE "' || collname || '"' ELSE '' END
        || CASE WHEN attnotnull THEN ' NOT NULL' ELSE '' END
        || coalesce(' DEFAULT ' || pg_get_expr(adbin, adrelid), ''), E',\\n' ORDER BY attnum)
      FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
        LEFT JOIN pg_collation ON pg_collation.oid = attcollation
      WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped
    ) AS columns,
    (
      SELECT string_agg(E',\\n  ' || pg_get_constraintdef(oid), '' ORDER BY conname) FROM pg_constraint
      WHERE conrelid = c.oid AND contype IN ('p', 'c')
    ) AS constraints
  FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' ORDER BY c.relname`
const INDEXES = `
  SELECT pg_get_indexdef(indexrelid) AS text FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
  WHERE relnamespace = 'public'::regnamespace AND NOT indisprimary ORDER BY relname`
const FUNCTIONS = `SELECT pg_get_functiondef(oid) AS text FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY proname`

type Table = {
  readonly name: string
  readonly options: string | null
  readonly columns: string
  readonly constraints: string | null
}
type Definition = { readonly text: string }

export async function schemaText(client: pg.Client): Promise<string> {
  const tables = (await client.query<Table>(TABLES)).rows.map(({ name, options, columns, constraints }) => {
    return `CREATE TABLE ${name} (\n${columns}${constraints ?? ''}\n)${options === null ? '' : ` WITH (${options})`};\n`
  })
  const others = [
    ...(await client.query<Definition>(INDEXES)).rows,
    ...(await client.query<Definition>(FUNCTIONS)).rows,
  ]
  return [...tables, ...others.map(({ text }) => `${text.trimEnd()};\n`)].join('\n').replaceAll('public.', '')
}
