// The queries of these routes. Every value is text here.

import { Type } from '../../runtime/schema-type.ts'
import type { Static } from 'typebox'
import { invalidInput } from '../../core/errors.ts'
import { parseNamespace } from '../../core/timer/ids.ts'
import { NAMESPACE_CHARS_MAX } from '../../core/limits.ts'
import type { Millis, Namespace } from '../../core/timer/timer.ts'
import { DAY_MS, HOUR_MS } from '../../service/queries/forecast.ts'

const NUMBER_CHARS_MAX = 10

const NamespaceField = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: NAMESPACE_CHARS_MAX,
    description: 'Of this namespace only. Default: all that the key may see.',
    examples: ['default'],
  }),
)

export const OverviewQuery = Type.Object({ namespace: NamespaceField }, { additionalProperties: false })

export const FOR_SECONDS_MAX = 86_400
export const LiveQuery = Type.Object(
  {
    namespace: NamespaceField,
    forSeconds: Type.Optional(
      Type.String({
        maxLength: NUMBER_CHARS_MAX,
        description: `End after so many seconds, 0 to ${FOR_SECONDS_MAX}; 0: after the first event.`,
        examples: ['60'],
      }),
    ),
  },
  { additionalProperties: false },
)

export const STEP_MS = { second: 1_000, minute: 60_000, hour: HOUR_MS, day: DAY_MS } as const satisfies Record<
  string,
  Millis
>
type Step = keyof typeof STEP_MS
export const STEPS_DEFAULT = 60
export const STEPS_MAX = 366
export const ForecastQuery = Type.Object(
  {
    namespace: NamespaceField,
    step: Type.Optional(
      Type.Unsafe<Step>({
        type: 'string',
        enum: Object.keys(STEP_MS),
        description: 'Default: minute.',
        examples: ['minute'],
      }),
    ),
    steps: Type.Optional(
      Type.String({
        maxLength: NUMBER_CHARS_MAX,
        description: `How many, up to ${STEPS_MAX}. Default ${STEPS_DEFAULT}.`,
        examples: ['60'],
      }),
    ),
  },
  { additionalProperties: false },
)
export type ForecastQuery = Static<typeof ForecastQuery>

export function readScope({ namespace }: { readonly namespace?: string }): { readonly namespace?: Namespace } {
  return namespace === undefined ? {} : { namespace: parseNamespace(namespace) }
}

type Bounds = { readonly min: number; readonly max: number }

export function readWhole(text: string | undefined, field: string, { min, max }: Bounds): number | undefined {
  if (text === undefined) return undefined
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (value >= min && value <= max) return value
  throw invalidInput(field, `${field} must be a whole number from ${min} to ${max}`)
}
