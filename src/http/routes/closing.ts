// Closing the server: no new connections, requests under way are answered. A connection that is only kept open for the
// next request is not waited for, and neither, after the grace, is a client that never finishes its request.

import type { FastifyInstance } from 'fastify'
import type { Cancel, Clock } from '../../runtime/clock/clock.ts'

const SWEEP_MS = 50 // connections become idle one by one, as their last answers are sent

export async function closeWithin(
  app: FastifyInstance,
  { clock, graceMs }: { readonly clock: Clock; readonly graceMs: number },
): Promise<void> {
  let cancelSweep: Cancel
  const sweep = () => {
    app.server.closeIdleConnections()
    cancelSweep = clock.after(SWEEP_MS, sweep)
  }
  cancelSweep = clock.after(SWEEP_MS, sweep)
  const cancelCut = clock.after(graceMs, () => app.server.closeAllConnections())
  try {
    await app.close()
  } finally {
    cancelSweep()
    cancelCut()
  }
}
