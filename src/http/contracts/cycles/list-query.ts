// The query of a list. Every value is text here.

import { invalidInput } from '../../../core/errors.ts'
import { assertStorable } from '../../../core/json/storable-text.ts'
import type { PageQuery } from '../../../service/timers.ts'
import { readTenant } from './mapping.ts'
import { PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from './schema.ts'
import type { ListQuery } from './schema.ts'
import { statusesOf } from './answers/status.ts'

export type AskedPage = { readonly page: number; readonly pageSize: number; readonly query: PageQuery }

export function toPageQuery(asked: ListQuery): AskedPage {
  const page = wholeNumber(asked.page, 'page') ?? 1
  const pageSize = Math.min(wholeNumber(asked.page_size, 'page_size') ?? PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX)
  const query: PageQuery = {
    filter: filterOf(asked),
    sort: (asked.sort_by ?? 'created_at') === 'created_at' ? 'createdAt' : 'dueAt',
    descending: (asked.sort_order ?? 'DESC') === 'DESC',
    offset: (page - 1) * pageSize,
    limit: pageSize,
    omit: ['payload', 'headers', 'attempts'], // lists show none of them
  }
  return { page, pageSize, query }
}

function filterOf({ status, type, tenant_id, metadata_key, metadata_value }: ListQuery): PageQuery['filter'] {
  const namespace = readTenant(tenant_id)
  for (const [field, text] of Object.entries({ metadata_key, metadata_value }))
    if (text !== undefined) assertStorable(text, field)
  if (metadata_value !== undefined && metadata_key === undefined)
    throw invalidInput('metadata_key', 'metadata_value needs a metadata_key')
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...(status === undefined ? {} : { statuses: statusesOf(status) }),
    ...(type === undefined ? {} : { kind: type === 'CYCLE' ? 'cycle' : 'once' }),
    ...(metadata_key === undefined ? {} : { metadataKey: metadata_key }),
    ...(metadata_value === undefined ? {} : { metadataValues: valuesOf(metadata_value) }),
  }
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** A query has no types: `42` is the text and the number. */
function valuesOf(text: string): readonly (string | number | boolean)[] {
  if (text === 'true' || text === 'false') return [text, text === 'true']
  return NUMBER.test(text) && Number.isFinite(Number(text)) ? [text, Number(text)] : [text]
}

const NUMBER_MAX = 1_000_000_000 // times a page is still exact

function wholeNumber(text: string | undefined, field: 'page' | 'page_size'): number | undefined {
  if (text === undefined) return undefined
  const value = /^\d+$/.test(text) ? Number(text) : 0
  if (value < 1) throw invalidInput(field, `${field} must be a whole number, 1 or more`)
  if (value > NUMBER_MAX) throw invalidInput(field, `${field} must be at most ${NUMBER_MAX}`)
  return value
}
