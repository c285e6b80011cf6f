// Values as they are written into a statement: several statements in one message can have no parameters. The session's
// settings make this safe: UTF-8, and a backslash escapes.

import type { Query, Value } from '../../sql/statement.ts'

export function literal(value: Value): string {
  if (value === null) return 'NULL'
  // Any other character can stand in a literal, also those that people do not see.
  if (typeof value === 'string') return `'${value.replace(/['\\]/g, '\\$&').replaceAll('\0', '\\0')}'`
  if (typeof value === 'object') return `X'${Buffer.from(value).toString('hex')}'`
  return String(value)
}

/** With its values in the places of `?1`, `?2` and so on. A text that has none may have such places in its literals. */
export function written({ text, values }: Query): string {
  if (values.length === 0) return text
  return text.replace(/\?(\d+)/g, (_, position: string) => literal(values[Number(position) - 1]!))
}
