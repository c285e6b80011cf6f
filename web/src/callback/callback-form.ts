// Where a timer fires and how often that is tried, as forms hold it, and the fields of a request that follow from it.

import type { NewTimer } from '@duetime/client'
import type { Callback, Timer } from '../api/timer.ts'
import { newPair, pairsRecord } from '../ui/pairs-field.tsx'
import type { Pair } from '../ui/pairs-field.tsx'

export type CallbackForm = {
  readonly type: 'http' | 'nats'
  readonly url: string
  readonly topic: string
  /** The last part of a NATS subject; empty for none. */
  readonly key: string
  readonly headers: readonly Pair[]
}

/** What is empty has the service's default. */
export type RetryForm = {
  readonly maxRetries: string
  readonly initialInterval: string
  readonly multiplier: string
  readonly maxInterval: string
  readonly timeout: string
}

export const EMPTY_CALLBACK: CallbackForm = { type: 'http', url: '', topic: '', key: '', headers: [] }
export const EMPTY_RETRY: RetryForm = {
  maxRetries: '',
  initialInterval: '',
  multiplier: '',
  maxInterval: '',
  timeout: '',
}

/** Of a timer without a callback that could be edited here the form is empty. */
export function callbackForm({ callback }: Timer): CallbackForm {
  if (callback === undefined || (callback.type !== 'http' && callback.type !== 'nats')) return EMPTY_CALLBACK
  const headers = Object.entries(callback.headers ?? {}).map(([name, value]) => newPair(name, value))
  if (callback.type === 'http') return { ...EMPTY_CALLBACK, url: callback.url, headers }
  return { ...EMPTY_CALLBACK, type: 'nats', topic: callback.topic, key: callback.key ?? '', headers }
}

export function retryForm({ retryPolicy, callbackTimeout }: Timer): RetryForm {
  return {
    maxRetries: String(retryPolicy.maxRetries),
    initialInterval: retryPolicy.initialInterval,
    multiplier: String(retryPolicy.backoffMultiplier),
    maxInterval: retryPolicy.maxInterval,
    timeout: callbackTimeout,
  }
}

export function callbackOf({ type, url, topic, key, headers }: CallbackForm): Callback | null {
  const record = pairsRecord(headers)
  const more = record === undefined ? {} : { headers: record }
  if (type === 'http') return url.trim() === '' ? null : { type, url: url.trim(), ...more }
  return topic.trim() === ''
    ? null
    : { type, topic: topic.trim(), ...(key.trim() === '' ? {} : { key: key.trim() }), ...more }
}

export function callbackFault({ type }: CallbackForm): string {
  return type === 'http' ? 'Enter the callback URL' : 'Enter the NATS subject'
}

type RetryFields = Pick<NewTimer, 'callbackTimeout' | 'retryPolicy'>

/** What is filled in, and differs from `before` where there is one. A number that is none is sent as it is: the service says what is wrong. */
export function retryFields(form: RetryForm, before: RetryForm = EMPTY_RETRY): RetryFields {
  const given = (name: keyof RetryForm): string | null => {
    const text = form[name].trim()
    return text === '' || text === before[name] ? null : text
  }
  const [maxRetries, initialInterval, multiplier, maxInterval, timeout] = [
    given('maxRetries'),
    given('initialInterval'),
    given('multiplier'),
    given('maxInterval'),
    given('timeout'),
  ]
  const retryPolicy = {
    ...(maxRetries === null ? {} : { maxRetries: Number(maxRetries) }),
    ...(initialInterval === null ? {} : { initialInterval }),
    ...(multiplier === null ? {} : { backoffMultiplier: Number(multiplier) }),
    ...(maxInterval === null ? {} : { maxInterval }),
  }
  return {
    ...(timeout === null ? {} : { callbackTimeout: timeout }),
    ...(Object.keys(retryPolicy).length === 0 ? {} : { retryPolicy }),
  }
}
