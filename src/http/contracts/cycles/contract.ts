// `cycles`: /api/v1/timers and /api/v1/timers/{timer_id}, one-shots and cycles with their place in the timing wheel,
// answers as {success, data | error, request_id}. Its create shares a path with `groups`: bodies with `timer_id` or
// `duration_or_cycle` are meant for this contract, and so is every other method there.

import type { Contract } from '../contract.ts'
import { renderCyclesError } from './answers/envelope.ts'
import { PREFIX, registerRoutes, speaksCycles } from './routes.ts'

const ONE_SEGMENT = new RegExp(`^${PREFIX}/[^/]*$`)

export const cyclesContract: Contract = {
  name: 'cycles',
  owns: ({ method, path, body }) => {
    if (path === PREFIX) return method !== 'POST' || speaksCycles(body)
    return method !== 'POST' && ONE_SEGMENT.test(path)
  },
  register: registerRoutes,
  renderError: renderCyclesError,
}
