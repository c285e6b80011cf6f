// What `cycles` takes: the body of a create, paths and queries. Optional fields of the body may be null, which is the same
// as leaving them out.

import { Type } from '../../../runtime/schema-type.ts'
import type { Static } from 'typebox'
import { OnConflict } from '../../../core/rules/command.ts'
import { METADATA_KEYS_MAX, NAMESPACE_CHARS_MAX, URL_CHARS_MAX } from '../../../core/limits.ts'
import { STATUS_WORDS, TYPE_WORDS } from './answers/status.ts'

export const TIMER_ID_CHARS_MAX = 100
export const PAGE_SIZE_DEFAULT = 20
export const PAGE_SIZE_MAX = 100
export const PERIODS = ['1h', '24h', '7d', '30d', 'all'] as const
export const SORTS = ['created_at', 'scheduled_at', 'remaining_time'] as const
export const ON_CONFLICT = [OnConflict.reject, OnConflict.replace, OnConflict.keep] as const
export const ORDERS = ['ASC', 'DESC'] as const

export const CreateBody = Type.Object(
  {
    timer_id: Type.String({
      minLength: 1,
      maxLength: TIMER_ID_CHARS_MAX,
      description: 'Letters, digits, dashes and underscores; unique within the tenant.',
    }),
    duration_or_cycle: Type.String({
      description:
        'An ISO 8601 duration (PT5M), a cycle (R3/PT10M, R/PT1H) or an instant with an offset. 1 second to 100 years, 1 to 1000 repetitions.',
    }),
    metadata: Type.Optional(
      Type.Unsafe<Readonly<Record<string, unknown>> | null>({
        type: ['object', 'null'],
        maxProperties: METADATA_KEYS_MAX,
        description: 'Kept with the timer, shown in answers and sent with the callback.',
      }),
    ),
    callback_url: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        minLength: 1,
        maxLength: URL_CHARS_MAX,
        description:
          'Gets a POST when the timer fires. A path (/internal/…) is resolved against CALLBACK_BASE_URL. Without it nothing is called.',
      }),
    ),
    tenant_id: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        minLength: 1,
        maxLength: NAMESPACE_CHARS_MAX,
        description: 'Default: default.',
      }),
    ),
    on_conflict: Type.Optional(
      Type.Unsafe<(typeof ON_CONFLICT)[number] | null>({
        type: ['string', 'null'],
        enum: [...ON_CONFLICT, null],
        description:
          'When the id is taken, also by a timer that has fired: reject with 409 (default), replace the timer, or keep it and answer with it (200).',
      }),
    ),
  },
  { additionalProperties: false },
)
export type CreateBody = Static<typeof CreateBody>

export const TimerPath = Type.Object({ timer_id: Type.String({ examples: ['payment-timeout-4711'] }) })

const tenant = Type.Optional(Type.String({ description: 'Default: default.', examples: ['production'] }))
export const TenantQuery = Type.Object({ tenant_id: tenant }, { additionalProperties: false })
export type TenantQuery = Static<typeof TenantQuery>

function oneOf<Word extends string>(words: readonly Word[], description: string) {
  return Type.Optional(Type.Unsafe<Word>({ type: 'string', enum: words, description }))
}

const allTenants = Type.Optional(
  Type.String({ description: 'Without it: every tenant that the key may see.', examples: ['production'] }),
)

/** Numbers are text in a query, and are read in list-query.ts. */
export const ListQuery = Type.Object(
  {
    status: oneOf(STATUS_WORDS, 'Only timers in this status.'),
    type: oneOf(TYPE_WORDS, 'Only one-shots, or only cycles.'),
    tenant_id: allTenants,
    metadata_key: Type.Optional(
      Type.String({ description: 'Only timers whose metadata has this key at the top level.', examples: ['order_id'] }),
    ),
    metadata_value: Type.Optional(
      Type.String({ description: 'The value it must have: a text, a number, true or false.', examples: ['4711'] }),
    ),
    page: Type.Optional(Type.String({ description: 'From 1.', examples: ['1'] })),
    page_size: Type.Optional(
      Type.String({ description: `Default ${PAGE_SIZE_DEFAULT}; cut to ${PAGE_SIZE_MAX} if more.`, examples: ['20'] }),
    ),
    sort_by: oneOf(SORTS, 'Default created_at. remaining_time is the order of scheduled_at.'),
    sort_order: oneOf(ORDERS, 'Default DESC.'),
  },
  { additionalProperties: false },
)
export type ListQuery = Static<typeof ListQuery>

export const StatsQuery = Type.Object(
  { period: oneOf(PERIODS, 'Default 24h.'), tenant_id: allTenants },
  { additionalProperties: false },
)
export type StatsQuery = Static<typeof StatsQuery>
