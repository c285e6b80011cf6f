// Payload and metadata leave the request as JSON text here and are never parsed again: not to store them, not to
// answer, not to deliver.

import { DuetimeError, ErrorCode, invalidInput } from '../../core/errors.ts'
import { METADATA_BYTES_MAX } from '../../core/limits.ts'
import type { JsonText } from '../../core/timer.ts'

const UTF8_BYTES_PER_UNIT_MAX = 3

/** Null and absent are the same: no payload. */
export function payloadText(payload: unknown, maxBytes: number): JsonText | null {
  if (payload === undefined || payload === null) return null
  const text = JSON.stringify(payload) as JsonText
  if (!isLargerThan(text, maxBytes)) return text
  const bytes = Buffer.byteLength(text)
  throw new DuetimeError(ErrorCode.payloadTooLarge, `payload has ${bytes} bytes as JSON; PAYLOAD_MAX_BYTES allows ${maxBytes}`, {
    field: 'payload',
    bytes,
    maxBytes,
  })
}

export type Metadata = Readonly<Record<string, string | number | boolean | null>>

export function metadataText(metadata: Metadata | null | undefined): JsonText | null {
  if (metadata === undefined || metadata === null) return null
  const text = JSON.stringify(metadata) as JsonText
  if (!isLargerThan(text, METADATA_BYTES_MAX)) return text
  throw invalidInput('metadata', `metadata must not be larger than ${METADATA_BYTES_MAX} bytes as JSON`)
}

/** Most texts are so short that counting their bytes can be spared. */
function isLargerThan(text: string, maxBytes: number): boolean {
  return text.length * UTF8_BYTES_PER_UNIT_MAX > maxBytes && Buffer.byteLength(text) > maxBytes
}
