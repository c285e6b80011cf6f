// How far this machine's clock is ahead of a server's, as far as one round trip can tell.

import type { Millis } from '../../core/timer/timer.ts'

/** The server looked at its clock between the two moments, and saw a time in this range. Zero as long as the clocks may agree. */
export function skewOf(
  { sentAt, answeredAt }: { readonly sentAt: Millis; readonly answeredAt: Millis },
  [from, to]: readonly [from: Millis, to: Millis],
): number {
  const [least, most] = [sentAt - to, answeredAt - from]
  return least > 0 ? least : most < 0 ? most : 0
}
