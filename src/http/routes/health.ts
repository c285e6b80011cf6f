// GET /healthz: whether the service is up and reaches its database, in the envelope of the contract that defines it, with
// the version besides. Unlike /readyz it names no parts and needs no key to say all it knows.

import type { Clock } from '../../runtime/clock/clock.ts'
import { VERSION } from '../../runtime/version.ts'
import { isoText } from '../../core/time/iso-text.ts'

const CHECK_MS_MAX = 5_000 // a load balancer has given up by then

/** `check` throws or rejects when the database cannot do its work. */
export async function healthOf(
  check: (() => void | Promise<void>) | undefined,
  clock: Clock,
): Promise<{ status: number; body: string }> {
  const isConnected = await withinTime(async () => check?.(), clock)
  const [status, code, message] = isConnected ? [200, 0, 'healthy'] : [500, 1, 'database connection failed']
  const data = {
    status: isConnected ? 'up' : 'degraded',
    database: isConnected ? 'connected' : 'disconnected',
    timestamp: isoText(clock.now()),
    version: VERSION,
  }
  return { status, body: JSON.stringify({ code, message, data }) }
}

/** False when it fails, or has not ended in time. */
function withinTime(check: () => Promise<void>, clock: Clock): Promise<boolean> {
  return new Promise((resolve) => {
    const cancel = clock.after(CHECK_MS_MAX, () => resolve(false))
    const end = (isConnected: boolean) => () => {
      cancel()
      resolve(isConnected)
    }
    check().then(end(true), end(false))
  })
}
