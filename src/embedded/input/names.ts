// Which timer a program means, and in which namespace.

import { invalidInput } from '../../core/errors.ts'
import { DEFAULT_NAMESPACE, parseNamespace, parseTimerId, timerIdentity } from '../../core/timer/ids.ts'
import type { TimerIdentity } from '../../core/timer/ids.ts'
import type { Namespace } from '../../core/timer/timer.ts'
import type { TimerRef } from './fields.ts'

export function identityOf(ref: TimerRef): TimerIdentity {
  const { id, namespace } = typeof ref === 'string' ? { id: ref } : { ...ref }
  return timerIdentity(namespaceOf(namespace), parseTimerId(textOf(id, 'id')))
}

export function namespaceOf(namespace: string | undefined): Namespace {
  return namespace === undefined ? DEFAULT_NAMESPACE : parseNamespace(textOf(namespace, 'namespace'))
}

function textOf(value: unknown, field: string): string {
  if (typeof value === 'string') return value
  throw invalidInput(field, `${field} must be a string`)
}
