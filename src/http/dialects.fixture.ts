// The contracts as four ways to say the same, for tests that go through all of them: make a timer, read, list, change
// and cancel it. What a contract shows of a timer comes back under one set of names, so that it can be compared.

import assert from 'node:assert/strict'
import type { Status } from '../core/timer/timer.ts'
import type { Answer } from './test-server.fixture.ts'

export const NAMES = ['v1', 'groups', 'platform', 'cycles'] as const
export type Name = (typeof NAMES)[number]

export type Key = { readonly namespace: string; readonly id: string }

export type Wish = {
  readonly dueAt: string
  readonly url: string
  readonly payload: unknown
  readonly metadata: Readonly<Record<string, unknown>>
}

/** What a contract shows. Each shows all it can: a field that it leaves out is not there. */
export type Shown = { readonly id: string; readonly namespace?: string; readonly status: string } & Partial<Wish>

export type Changes = {
  readonly dueAt?: string
  readonly metadata?: Wish['metadata']
  readonly callback?: Pick<Wish, 'url' | 'payload'>
}

export type Ask = (method: string, path: string, body?: unknown) => Promise<Answer>

/** Null where a contract has no such operation. */
export interface Dialect {
  /** The key of the new timer: the one asked for, unless ids are made by the service. */
  make(ask: Ask, key: Key, wish: Wish): Promise<Key>
  read(ask: Ask, key: Key): Promise<Answer>
  shown(read: Answer): Shown
  readonly list: ((ask: Ask, key: Key, status: string) => Promise<readonly Shown[]>) | null
  readonly change: ((ask: Ask, key: Key, changes: Changes) => Promise<Answer>) | null
  cancel(ask: Ask, key: Key): Promise<Answer>
}

/** How each contract says that a timer is in this status; null: the timer is gone for it. */
export const STATUS_WORDS: Readonly<Record<Status, Readonly<Record<Name, string | null>>>> = {
  pending: { v1: 'pending', groups: 'pending', platform: 'pending', cycles: 'SCHEDULED' },
  paused: { v1: 'paused', groups: 'paused', platform: 'pending', cycles: 'SCHEDULED' },
  executing: { v1: 'executing', groups: 'executing', platform: 'executing', cycles: 'ACTIVE' },
  completed: { v1: 'completed', groups: 'completed', platform: 'completed', cycles: 'COMPLETED' },
  failed: { v1: 'failed', groups: 'failed', platform: 'failed', cycles: 'COMPLETED' },
  canceled: { v1: 'canceled', groups: null, platform: 'canceled', cycles: 'CANCELLED' },
}

const V1 = '/api/v1/timers'

export const DIALECTS: Readonly<Record<Name, Dialect>> = {
  v1: {
    async make(ask, { namespace, id }, { dueAt, url, payload, metadata }) {
      succeeded(
        await ask('POST', `${V1}/create`, { namespace, id, executeAt: dueAt, callbackUrl: url, payload, metadata }),
      )
      return { namespace, id }
    },
    read: (ask, { namespace, id }) => ask('POST', `${V1}/get`, { namespace, timerId: id }),
    shown: ({ json }) => nativeShown(json),
    async list(ask, { namespace }, status) {
      const { timers } = succeeded(await ask('POST', `${V1}/list`, { namespace, status })).json
      return (timers as Json[]).map(nativeShown)
    },
    change: (ask, { namespace, id }, changes) =>
      ask('POST', `${V1}/update`, { namespace, timerId: id, ...nativeChanges(changes) }),
    cancel: (ask, { namespace, id }) => ask('POST', `${V1}/delete`, { namespace, timerId: id }),
  },

  groups: {
    async make(ask, { namespace, id }, { dueAt, url, payload, metadata }) {
      succeeded(
        await ask('POST', V1, { groupId: namespace, id, executeAt: dueAt, callbackUrl: url, payload, metadata }),
      )
      return { namespace, id }
    },
    read: (ask, key) => ask('GET', groupsPath(key)),
    shown: ({ json }) => nativeShown(json),
    list: null,
    change: (ask, key, changes) => ask('PUT', groupsPath(key), nativeChanges(changes)),
    cancel: (ask, key) => ask('DELETE', groupsPath(key)),
  },

  platform: {
    async make(ask, { namespace }, { dueAt, url, payload, metadata }) {
      assert.equal(namespace, 'default', 'this contract knows no other namespace')
      const { json } = succeeded(
        await ask('POST', '/timers', { execute_at: dueAt, callback: { type: 'http', url, payload }, metadata }),
      )
      return { namespace, id: (json['data'] as { id: string }).id }
    },
    read: (ask, { id }) => ask('GET', `/timers/${id}`),
    shown({ json }) {
      const data = json['data'] as Json
      const { url, payload = null } = data['callback_config'] as { url: string; payload?: unknown }
      return { ...platformSummary(data), url, payload, metadata: data['metadata'] as Wish['metadata'] }
    },
    async list(ask, _key, status) {
      const { data } = succeeded(await ask('GET', `/timers?status=${status}&limit=200`)).json as {
        data: { timers: Json[] }
      }
      return data.timers.map(platformSummary)
    },
    change: (ask, { id }, { dueAt, metadata, callback }) =>
      ask('PUT', `/timers/${id}`, { execute_at: dueAt, metadata, callback: callback && { type: 'http', ...callback } }),
    cancel: (ask, { id }) => ask('DELETE', `/timers/${id}`),
  },

  cycles: {
    async make(ask, { namespace, id }, { dueAt, url, metadata }) {
      succeeded(
        await ask('POST', V1, {
          tenant_id: namespace,
          timer_id: id,
          duration_or_cycle: dueAt,
          callback_url: url,
          metadata,
        }),
      )
      return { namespace, id }
    },
    read: (ask, key) => ask('GET', cyclesPath(key)),
    shown: ({ json }) => cyclesShown(json['data'] as Json),
    async list(ask, { namespace }, status) {
      const { json } = succeeded(await ask('GET', `${V1}?tenant_id=${namespace}&status=${status}&page_size=100`))
      return (json['data'] as { timers: Json[] }).timers.map(cyclesShown)
    },
    change: null,
    cancel: (ask, key) => ask('DELETE', cyclesPath(key)),
  },
}

type Json = Readonly<Record<string, unknown>>

export function succeeded(answer: Answer): Answer {
  assert.ok(answer.status >= 200 && answer.status < 300, `${answer.status} ${answer.text}`)
  return answer
}

function groupsPath({ namespace, id }: Key): string {
  return `${V1}/${namespace}/${encodeURIComponent(id)}`
}

function cyclesPath({ namespace, id }: Key): string {
  return `${V1}/${encodeURIComponent(id)}?tenant_id=${namespace}`
}

function nativeChanges({ dueAt, metadata, callback }: Changes): Json {
  return { executeAt: dueAt, metadata, callbackUrl: callback?.url, payload: callback?.payload }
}

function nativeShown(json: Json): Shown {
  assert.equal(json['groupId'], json['namespace'])
  const { id, namespace, status, executeAt, callbackUrl, payload = null, metadata } = json
  return { id, namespace, status, dueAt: executeAt, url: callbackUrl, payload, metadata } as Shown
}

function platformSummary({ id, status, execute_at }: Json): Shown {
  return { id, status, dueAt: execute_at } as Shown
}

function cyclesShown({ timer_id, tenant_id, status, scheduled_at, callback_url, metadata }: Json): Shown {
  return { id: timer_id, namespace: tenant_id, status, dueAt: scheduled_at, url: callback_url, metadata } as Shown
}
