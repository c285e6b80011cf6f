// What the compiler takes and what it refuses. Nothing here runs but one test: `npm run check` is what fails.

import { test } from 'node:test'
import type { DurationText, NewTimer, PreviewQuery, TimerChanges } from './index.ts'

const callbackUrl = 'https://example.com/hook'
const callback = { type: 'http', url: callbackUrl } as const

const create = (_timer: NewTimer): void => {}
const update = (_changes: TimerChanges): void => {}
const preview = (_query: PreviewQuery): void => {}
const duration = (..._texts: readonly DurationText[]): void => {}

test('types say what the service takes', () => {
  create({ at: new Date(), callbackUrl })
  create({ after: '0s', callback, id: 'a', onConflict: 'keep' })
  create({ after: { days: 3 }, callbackUrl, idempotencyKey: 'order-1' })
  create({ every: 'P1D', times: 3, from: 0, timeZone: 'Europe/Berlin', callbackUrl })
  create({ schedule: 'R/PT1H', callbackUrl, payload: { a: 1 } })
  // @ts-expect-error when?
  create({ callbackUrl })
  // @ts-expect-error what?
  create({ after: '1h' })
  // @ts-expect-error two times
  create({ at: 0, after: '1h', callbackUrl })
  // @ts-expect-error two times
  create({ after: '1h', schedule: 'PT1H', callbackUrl })
  // @ts-expect-error times belongs to every
  create({ after: '1h', times: 3, callbackUrl })
  // @ts-expect-error from belongs to every
  create({ at: 0, from: 0, callbackUrl })
  // @ts-expect-error two targets
  create({ after: '1h', callbackUrl, callback })
  // @ts-expect-error a bare number has no unit
  create({ after: 5, callbackUrl })
  // @ts-expect-error no unit
  create({ after: '5', callbackUrl })
  // @ts-expect-error an id and a key
  create({ after: '1h', callbackUrl, id: 'a', idempotencyKey: 'k' })
  // @ts-expect-error a misspelled field
  create({ after: '1h', callbackUrl, paylaod: 1 })

  update({})
  update({ payload: null, ifVersion: 2 })
  update({ after: '1h', callback })
  // @ts-expect-error two times
  update({ at: 0, after: '1h' })
  // @ts-expect-error two targets
  update({ callbackUrl, callback })

  preview({ every: '1d', count: 3 })
  preview({ schedule: '@daily', from: new Date(), to: '2030-01-01T00:00:00Z' })
  // @ts-expect-error when?
  preview({ count: 3 })

  duration('90s', '1h30m', '1.5h', '500ms', '6mo', '2w1d', '1y6mo3d12h', 'P3D', 'PT0.5S')
  // @ts-expect-error not a duration
  duration('soon')
  // @ts-expect-error not a unit
  duration('3x')
  // @ts-expect-error units in words
  duration('3 days')
  // @ts-expect-error no number
  duration('h')
})
