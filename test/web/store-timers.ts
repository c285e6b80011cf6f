// Many timers at once, for tests and scripts that need them.

import assert from 'node:assert/strict'
import type { Service } from '../support/service.ts'

const BATCH = 1_000

export async function storeTimers(service: Pick<Service, 'url'>, timers: readonly object[]): Promise<void> {
  for (let at = 0; at < timers.length; at += BATCH) {
    const response = await fetch(`${service.url}/api/v1/timers/batch`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ timers: timers.slice(at, at + BATCH) }),
    })
    const { failed, results } = (await response.json()) as {
      readonly failed: number
      readonly results: readonly { readonly message?: string }[]
    }
    assert.equal(failed, 0, results.find(({ message }) => message !== undefined)?.message ?? 'refused')
  }
}
