// Whether two targets are the same: field by field, header names in any order and without regard to case.

import { fieldOf, targetFields } from './target.ts'
import type { Target } from './target.ts'
import type { Headers } from './target-type.ts'

export function sameTarget(a: Target, b: Target): boolean {
  return (
    a.type === b.type &&
    targetFields(a.type).every((field) => {
      const [one, other] = [fieldOf(a, field), fieldOf(b, field)]
      return (
        one === other || (field.kind === 'headers' && headersText(one as Headers) === headersText(other as Headers))
      )
    })
  )
}

/** The same text for targets that are the same. */
export function targetText(target: Target): string {
  const values = targetFields(target.type).map((field) => {
    const value = fieldOf(target, field)
    return field.kind === 'headers' ? headersText(value as Headers | null) : value
  })
  return JSON.stringify([target.type, ...values])
}

function headersText(headers: Headers | null): string {
  const pairs = Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value] as const)
  return JSON.stringify(pairs.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
