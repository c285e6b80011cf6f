// Timers that are only about where they call, made through any contract of a running service.

import { randomUUID } from 'node:crypto'
import type { Ask, Key, Wish } from '../../src/http/dialects.fixture.ts'
import type { Answer } from '../../src/http/test-server.fixture.ts'
import type { Service } from './service.ts'

export const API_KEY = 'a-key-of-at-least-thirty-two-characters'
/** Long after every test, so that nothing is called unless a test makes it fire. */
const NEVER_DUE = '2099-01-01T00:00:00.000Z'

export function newKey(): Key {
  return { namespace: 'default', id: randomUUID() }
}

export function wishFor(url: string): Wish {
  return { dueAt: NEVER_DUE, url, payload: { n: 1 }, metadata: { test: 'egress' } }
}

export function asking({ url }: Service): Ask {
  return async (method, path, body) => {
    const headers = { 'x-api-key': API_KEY, ...(body !== undefined && { 'content-type': 'application/json' }) }
    const response = await fetch(url + path, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: text === '' ? {} : (JSON.parse(text) as Answer['json']),
    }
  }
}
