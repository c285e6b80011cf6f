// An instant for people, with the exact one in UTC a hover away.

import { serverClock } from '../api/server-clock.ts'
import { distance, instant, utc } from '../format/times.ts'
import { useNow } from '../state/ticking.ts'

export function Moment({ at }: { readonly at: string | number }) {
  return (
    <time className="num" dateTime={new Date(at).toISOString()} title={utc(at)}>
      {instant(at, serverClock.now())}
    </time>
  )
}

export function Distance({ at }: { readonly at: string | number }) {
  return <span className="num soft">{distance(at, useNow())}</span>
}
