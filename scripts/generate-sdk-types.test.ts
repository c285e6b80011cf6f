// Held against TypeBox's own reading of the schemas: a type that was generated wrongly does not compile here.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Static } from 'typebox'
import type * as sdk from '../sdks/typescript/src/generated.ts'
import type * as server from '../src/http/contracts/v1/schema.ts'
import type { ErrorAnswer, TimerAnswer } from '../src/language/answer-schema.ts'
import type { CallbackTestBody } from '../src/http/observing/callback-test-body.ts'
import { sdkTypes } from './generate-sdk-types.ts'

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false
/** The SDK lets absent fields of requests be `undefined` too. */
type Present<T> = T extends (infer Item)[] ? readonly Item[] : T extends object ? PresentFields<T> : T
type PresentFields<T> = { readonly [Name in keyof T]: Present<Exclude<T[Name], undefined>> }

const same: readonly [
  Same<Present<Static<typeof server.CreateBody>>, Present<sdk.CreateBody>>,
  Same<Present<Static<typeof server.UpdateBody>>, Present<sdk.UpdateBody>>,
  Same<Present<Static<typeof server.GetBody>>, Present<sdk.GetBody>>,
  Same<Present<Static<typeof server.DeleteBody>>, Present<sdk.DeleteBody>>,
  Same<Present<Static<typeof server.ListBody>>, Present<sdk.ListBody>>,
  Same<Present<Static<typeof server.CancelBody>>, Present<sdk.CancelBody>>,
  Same<Present<Static<typeof server.PreviewBody>>, Present<sdk.PreviewBody>>,
  Same<Present<Static<typeof CallbackTestBody>>, Present<sdk.CallbackTestBody>>,
  Same<Present<Omit<Static<typeof TimerAnswer>, 'attempts'>>, Present<Omit<sdk.TimerAnswer, 'attempts'>>>,
  Same<Static<typeof ErrorAnswer>['error'], sdk.ServerErrorCode>,
] = [true, true, true, true, true, true, true, true, true, true]

test('the generated types are those that the server checks with', () => {
  assert.ok(same.every(Boolean))
})

test('optional fields, descriptions, unions and references come through', () => {
  const types = sdkTypes()
  assert.match(types, /\/\*\* Any text\. Default: a new UUIDv7\. \*\/\n {2}readonly id\?: string \| undefined\n/)
  assert.match(types, /readonly onConflict\?: 'replace' \| 'keep' \| 'reject' \| undefined\n/)
  assert.match(types, /export type ListAnswer = \{\n {2}readonly timers: readonly TimerAnswer\[\]\n/)
})
