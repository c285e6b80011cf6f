// The form of a new timer as a request, or what is still missing in it.

import type { NewTimer } from '@duetime/client'
import type { Metadata, OnConflict, Timer } from '../../api/timer.ts'
import {
  callbackFault,
  callbackForm,
  callbackOf,
  EMPTY_CALLBACK,
  EMPTY_RETRY,
  retryFields,
  retryForm,
} from '../../callback/callback-form.ts'
import type { CallbackForm, RetryForm } from '../../callback/callback-form.ts'
import { repeats } from '../../schedule/schedule-form.ts'
import type { Reading, ScheduleForm } from '../../schedule/schedule-form.ts'
import { missedFields } from '../../schedule/rules-form.ts'
import { jsonText, readJson, readMetadata } from '../../ui/json-field.tsx'

export type NewForm = CallbackForm &
  RetryForm & {
    readonly namespace: string
    readonly id: string
    readonly payload: string
    readonly metadata: string
    readonly onConflict: OnConflict
  }

export function emptyNewForm(namespace: string | null): NewForm {
  return {
    ...EMPTY_CALLBACK,
    ...EMPTY_RETRY,
    namespace: namespace ?? 'default',
    id: '',
    payload: '',
    metadata: '',
    onConflict: 'reject',
  }
}

/** The form for another timer like this one; its id is to be chosen. */
export function newFormLike(timer: Timer): NewForm {
  return {
    ...emptyNewForm(timer.namespace),
    ...callbackForm(timer),
    ...retryForm(timer),
    payload: jsonText(timer.payload),
    metadata: jsonText(timer.metadata),
  }
}

export type Faults = Partial<Record<'callback' | 'payload' | 'schedule' | 'metadata', string>>
export type ReadNewForm =
  | { readonly ok: true; readonly timer: NewTimer }
  | { readonly ok: false; readonly faults: Faults }

export function readNewForm(form: NewForm, timing: Reading, { rules }: Pick<ScheduleForm, 'rules'>): ReadNewForm {
  const callback = callbackOf(form)
  const payload = readJson(form.payload)
  const metadata = readMetadata(form.metadata)
  if (callback === null || !payload.ok || !metadata.ok || !timing.ok) {
    return {
      ok: false,
      faults: {
        ...(callback === null ? { callback: callbackFault(form) } : {}),
        ...(payload.ok ? {} : { payload: payload.message }),
        ...(metadata.ok ? {} : { metadata: metadata.message }),
        ...(timing.ok ? {} : { schedule: timing.message }),
      },
    }
  }
  const { schedule } = timing.timing
  const isRepeated = schedule !== undefined && repeats(schedule)
  return {
    ok: true,
    timer: {
      namespace: form.namespace.trim() === '' ? 'default' : form.namespace.trim(),
      ...(form.id.trim() === '' ? {} : { id: form.id }),
      ...timing.timing,
      ...(isRepeated ? missedFields(rules) : {}),
      callback,
      ...(payload.value === undefined ? {} : { payload: payload.value }),
      ...(metadata.value === undefined ? {} : { metadata: metadata.value as Metadata }),
      ...retryFields(form),
      onConflict: form.onConflict,
    },
  }
}
