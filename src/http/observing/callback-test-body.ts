// The body of a callback test: the fields of a create that a delivery depends on.

import { Type } from '../../runtime/schema-type.ts'
import type { Static } from 'typebox'
import { invalidInput } from '../../core/errors.ts'
import { DEFAULT_NAMESPACE, parseNamespace } from '../../core/timer/ids.ts'
import { NAMESPACE_CHARS_MAX } from '../../core/limits.ts'
import { TEST_TIMEOUT_MAX_MS } from '../../service/callback-test.ts'
import type { CallbackTest } from '../../service/callback-test.ts'
import { CallbackField, CallbackUrlField, readTarget } from '../../language/callback.ts'
import { CallbackTimeoutField, CallbackTimeoutSecondsField, readTimeout } from '../../language/intervals.ts'
import { MetadataField, metadataText } from '../../language/metadata.ts'
import { payloadText } from '../../language/payload-text.ts'

export const CallbackTestBody = Type.Object(
  {
    namespace: Type.Optional(
      Type.String({ minLength: 1, maxLength: NAMESPACE_CHARS_MAX, description: 'Default: default.' }),
    ),
    callbackUrl: Type.Optional(CallbackUrlField),
    callback: Type.Optional(CallbackField),
    payload: Type.Optional(Type.Unknown({ description: 'Any JSON; delivered as it is.' })),
    metadata: Type.Optional(MetadataField),
    callbackTimeout: Type.Optional(CallbackTimeoutField),
    callbackTimeoutSeconds: Type.Optional(CallbackTimeoutSecondsField),
  },
  { additionalProperties: false },
)
export type CallbackTestBody = Static<typeof CallbackTestBody>

export function toCallbackTest(body: CallbackTestBody, payloadMaxBytes: number): CallbackTest {
  const target = readTarget(body)
  if (target === undefined) throw invalidInput('callbackUrl', 'callbackUrl is required, or callback instead of it')
  return {
    namespace: body.namespace === undefined ? DEFAULT_NAMESPACE : parseNamespace(body.namespace),
    target,
    payload: payloadText(body, payloadMaxBytes),
    metadata: metadataText(body.metadata),
    timeoutMs: readTimeout(body) ?? TEST_TIMEOUT_MAX_MS,
  }
}
