// What the service says about every timer once it has nothing left to do for it, or once the time for that is over:
// a timer that is still pending then is a finding, not a reason to wait for ever.

import { setTimeout as sleep } from 'node:timers/promises'
import { accepted } from '../client.ts'
import type { Client } from '../client.ts'
import type { FinalState, Payload } from './history.ts'

const AT_ONCE = 100
const ASK_AGAIN_MS = 100
const AT_REST = ['completed', 'failed', 'canceled', 'paused']

export async function finalStates(
  ids: readonly string[],
  client: Client,
  { withinMs = 40_000 } = {},
): Promise<Map<string, FinalState | null>> {
  const deadline = performance.now() + withinMs
  const finals = new Map<string, FinalState | null>()
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const chunk = ids.slice(from, from + AT_ONCE)
    await Promise.all(chunk.map(async (id) => finals.set(id, await finalState(id, client, deadline))))
  }
  return finals
}

async function finalState(timerId: string, client: Client, deadline: number): Promise<FinalState | null> {
  for (;;) {
    const answer = await client.get({ timerId })
    if (answer.type === 'refused' && answer.status === 404) return null
    const { status, payload } = await accepted(Promise.resolve(answer))
    if (AT_REST.includes(status) || performance.now() > deadline)
      return { status, revision: (payload as Payload).revision }
    await sleep(ASK_AGAIN_MS)
  }
}
