// How far a database is away, and how far its clock is from this machine's.

import { measuredText } from '../../output/readable-time.ts'
import type { Findings } from '../finding.ts'

const SKEW_WARN_MS = 100 // due times are compared on each node’s own clock
const SKEW_FAIL_MS = 1_000
const ROUND_TRIP_WARN_MS = 20

export function judgeClock(skewMs: number, roundTripMs: number, findings: Findings): void {
  const trip = `a round trip takes ${measuredText(roundTripMs)}`
  if (roundTripMs > ROUND_TRIP_WARN_MS)
    findings.warn(trip, 'Every create waits for one or two: move the service nearer to the database.')
  else findings.ok(trip)
  const size = Math.abs(skewMs)
  const said = `this machine’s clock is ${measuredText(size)} ${skewMs > 0 ? 'ahead of' : 'behind'} the database’s`
  const advice = 'Let chrony or systemd-timesyncd set both clocks: timers fire by the clock of the node.'
  if (size - roundTripMs / 2 > SKEW_FAIL_MS) findings.fail(said, advice)
  else if (size - roundTripMs / 2 > SKEW_WARN_MS) findings.warn(said, advice)
  else
    findings.ok(`this machine’s clock and the database’s agree within ${measuredText(Math.max(size, roundTripMs / 2))}`)
}
