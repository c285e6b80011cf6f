import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DuetimeError, ErrorCode } from '../../core/errors.ts'
import { ErrorAnswer } from '../../language/answer-schema.ts'
import { nativeErrorFields } from './native-envelope.ts'

test('the documents list exactly the codes that are answered', () => {
  const answered = Object.values(ErrorCode).map((code) => {
    const { json } = nativeErrorFields(new DuetimeError(code, 'x', { fault: 'format' }), {})
    return (JSON.parse(`{${json}}`) as { error: string }).error
  })
  const { error } = ErrorAnswer.properties as unknown as { readonly error: { readonly enum: readonly string[] } }
  assert.deepEqual([...new Set(answered)].toSorted(), error.enum.toSorted())
})
