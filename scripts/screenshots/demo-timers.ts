// Timers that look like somebody's: enough to fill every part of the UI, and firing while one looks.

import type { Receiver } from '../../test/support/receiver.ts'

const MINUTE = 60_000

type Random = () => number

/** The same timers for every run, but for their times. */
function randomFrom(seed: number): Random {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}

type DemoTimer = Readonly<Record<string, unknown>>

/** What fires in the first minutes: a steady stream with a wave in it. */
export function firingTimers(now: number, forMs: number, receiver: Receiver): DemoTimer[] {
  const random = randomFrom(1)
  const timers: DemoTimer[] = []
  for (let at = now + 2_000, n = 0; at < now + forMs; n++) {
    const wave = 1 + Math.sin((at - now) / 9_000)
    at += 14 + random() * 46 * (2.2 - wave)
    const [namespace, name] = STREAMS[Math.floor(random() ** 1.6 * STREAMS.length)]!
    timers.push({
      namespace,
      id: `${name}-${48_000 + n}`,
      executeAt: iso(at),
      callbackUrl: receiver.url,
      payload: { n },
      retryPolicy: { maxRetries: 1, initialInterval: '20s' },
    })
  }
  return timers
}

const STREAMS = [
  ['orders', 'payment-window'],
  ['reminders', 'cart-reminder'],
  ['orders', 'hold-expires'],
  ['billing', 'invoice-due'],
  ['sessions', 'session-timeout'],
] as const

/** What is due in the next hour and days, with the quarter hours crowded as they are everywhere. */
export function comingTimers(now: number, callbackUrl: string): DemoTimer[] {
  const random = randomFrom(2)
  const nextHour = Math.ceil((now + 8 * MINUTE) / (15 * MINUTE)) * 15 * MINUTE
  const spread = Array.from({ length: 9_000 }, (_, n) => ({ at: now + 4 * MINUTE + random() ** 0.8 * 70 * MINUTE, n }))
  const crowds = [
    { at: nextHour, size: 2_400 },
    { at: nextHour + 15 * MINUTE, size: 900 },
    { at: nextHour + 30 * MINUTE, size: 1_500 },
  ].flatMap(({ at, size }) =>
    Array.from({ length: size }, (_, n) => ({ at: at + Math.floor(random() * 1_500), n: n + 20_000 + (at % 7_919) })),
  )
  return [...spread, ...crowds].map(({ at, n }) => {
    const [namespace, name] = STREAMS[Math.floor(random() * STREAMS.length)]!
    return {
      namespace,
      id: `${name}-${n}-${Math.floor(random() * 1e6)}`,
      executeAt: iso(at),
      callbackUrl,
      payload: { n },
    }
  })
}

/** Those that have a story: shown in the list and on the page of one timer. */
export function namedTimers(now: number, receiver: Receiver): DemoTimer[] {
  const { url: callbackUrl } = receiver
  const metadata = { team: 'billing', plan: 'pro' }
  return [
    {
      namespace: 'billing',
      id: 'monthly-statement',
      schedule: `R/${iso(now + 3 * 86_400_000)}/P1M`,
      timeZone: 'Europe/Berlin',
      callbackUrl,
      metadata,
    },
    { namespace: 'billing', id: 'card-expiry-check', schedule: 'R/PT6H', callbackUrl, metadata },
    {
      namespace: 'billing',
      id: 'dunning-2-acme',
      executeAt: iso(now + 9 * 86_400_000 + 4_000_000),
      callbackUrl,
      metadata,
      payload: { account: 'acme', step: 2 },
    },
    {
      namespace: 'reminders',
      id: 'standup',
      schedule: `R/${iso(now + 20 * 3_600_000)}/P1D`,
      timeZone: 'Europe/Berlin',
      callbackUrl,
    },
    {
      namespace: 'billing',
      id: 'invoice-2041-overdue',
      executeAt: iso(now + 3_000),
      callbackUrl,
      metadata,
      payload: {
        invoice: 2041,
        customer: 'ACME GmbH',
        amount: { value: 1249.5, currency: 'EUR' },
        action: 'send-reminder',
      },
      retryPolicy: { maxRetries: 4, initialInterval: '5s', backoffMultiplier: 3 },
    },
    {
      namespace: 'sessions',
      id: 'kiosk-17',
      executeAt: iso(now + 2 * 3_600_000 + 754_000),
      callbackUrl,
      metadata: { region: 'eu-central' },
      payload: { kiosk: 17 },
    },
  ]
}

function iso(at: number): string {
  return new Date(at).toISOString()
}
