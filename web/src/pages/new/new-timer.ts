// The form of a new timer as a request, or what is still missing in it.

import type { NewTimer } from '@duetime/client'
import type { Callback, Metadata, OnConflict } from '../../api/timer.ts'
import type { Reading } from '../../schedule/schedule-form.ts'
import { readJson, readMetadata } from '../../ui/json-field.tsx'
import { pairsRecord } from '../../ui/pairs-field.tsx'
import type { Pair } from '../../ui/pairs-field.tsx'

export type NewForm = {
  readonly namespace: string
  readonly id: string
  readonly type: 'http' | 'nats'
  readonly url: string
  readonly topic: string
  readonly headers: readonly Pair[]
  readonly payload: string
  readonly metadata: string
  readonly timeout: string
  readonly maxRetries: string
  readonly initialInterval: string
  readonly multiplier: string
  readonly maxInterval: string
  readonly catchUp: 'all' | 'one'
  readonly onConflict: OnConflict
}

export function emptyNewForm(namespace: string | null): NewForm {
  return {
    namespace: namespace ?? 'default',
    id: '',
    type: 'http',
    url: '',
    topic: '',
    headers: [],
    payload: '',
    metadata: '',
    timeout: '',
    maxRetries: '',
    initialInterval: '',
    multiplier: '',
    maxInterval: '',
    catchUp: 'all',
    onConflict: 'reject',
  }
}

export function callbackOf({ type, url, topic, headers }: NewForm): Callback | null {
  const record = pairsRecord(headers)
  const extra = record === undefined ? {} : { headers: record }
  if (type === 'http') return url.trim() === '' ? null : { type, url: url.trim(), ...extra }
  return topic.trim() === '' ? null : { type, topic: topic.trim(), ...extra }
}

export type Faults = Partial<Record<'url' | 'topic' | 'payload' | 'schedule' | 'metadata', string>>
export type ReadNewForm = { readonly ok: true; readonly timer: NewTimer } | { readonly ok: false; readonly faults: Faults }

export function readNewForm(form: NewForm, timing: Reading): ReadNewForm {
  const callback = callbackOf(form)
  const payload = readJson(form.payload)
  const metadata = readMetadata(form.metadata)
  if (callback === null || !payload.ok || !metadata.ok || !timing.ok) {
    const missing = form.type === 'http' ? { url: 'Where shall it fire? Give a URL' } : { topic: 'Where shall it fire? Give a subject' }
    return {
      ok: false,
      faults: {
        ...(callback === null ? missing : {}),
        ...(payload.ok ? {} : { payload: payload.message }),
        ...(metadata.ok ? {} : { metadata: metadata.message }),
        ...(timing.ok ? {} : { schedule: timing.message }),
      },
    }
  }
  const retryPolicy = retryOf(form)
  const isCycle = timing.timing.schedule?.startsWith('R') === true
  return {
    ok: true,
    timer: {
      namespace: form.namespace.trim() === '' ? 'default' : form.namespace.trim(),
      ...(form.id.trim() === '' ? {} : { id: form.id }),
      ...timing.timing,
      ...(isCycle && form.catchUp === 'one' ? { catchUp: 'one' as const } : {}),
      callback,
      ...(payload.value === undefined ? {} : { payload: payload.value }),
      ...(metadata.value === undefined ? {} : { metadata: metadata.value as Metadata }),
      ...(form.timeout.trim() === '' ? {} : { callbackTimeout: form.timeout.trim() }),
      ...(Object.keys(retryPolicy).length === 0 ? {} : { retryPolicy }),
      onConflict: form.onConflict,
    },
  }
}

/** What is left empty has the service's default. A number that is none is sent as it is: the service says what is wrong. */
function retryOf({ maxRetries, initialInterval, multiplier, maxInterval }: NewForm): NonNullable<NewTimer['retryPolicy']> {
  return {
    ...(maxRetries.trim() === '' ? {} : { maxRetries: Number(maxRetries) }),
    ...(initialInterval.trim() === '' ? {} : { initialInterval: initialInterval.trim() }),
    ...(multiplier.trim() === '' ? {} : { backoffMultiplier: Number(multiplier) }),
    ...(maxInterval.trim() === '' ? {} : { maxInterval: maxInterval.trim() }),
  }
}
