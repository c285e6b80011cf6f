// Labels to find timers by. They leave the request as JSON text here and are read again only by the filters of lists.

import { Type } from '../runtime/schema-type.ts'
import { invalidInput } from '../core/errors.ts'
import { METADATA_BYTES_MAX, METADATA_KEYS_MAX } from '../core/limits.ts'
import type { JsonText } from '../core/timer/timer.ts'

export type Metadata = Readonly<Record<string, string | number | boolean | null>>

export const MetadataField = Type.Unsafe<Metadata | null>({
  type: ['object', 'null'],
  maxProperties: METADATA_KEYS_MAX,
  additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
  description: 'Labels to find timers by: strings, numbers, booleans or null.',
})

const UTF8_BYTES_PER_UNIT_MAX = 3

/** Null and absent are the same: no metadata. */
export function metadataText(metadata: unknown): JsonText | null {
  if (metadata === undefined || metadata === null) return null
  const text = JSON.stringify(metadata) as JsonText
  // Most texts are so short that counting their bytes can be spared.
  if (text.length * UTF8_BYTES_PER_UNIT_MAX <= METADATA_BYTES_MAX || Buffer.byteLength(text) <= METADATA_BYTES_MAX)
    return text
  throw invalidInput('metadata', `metadata must not be larger than ${METADATA_BYTES_MAX} bytes as JSON`)
}
