// The next firings of what the form says, asked of the service itself, so that it cannot be wrong.

import { DuetimeError } from '@duetime/client'
import { useEffect, useState } from 'react'
import { duetime, isAbort } from '../api/client.ts'
import { serverClock } from '../api/server-clock.ts'
import { exactly, utc, VIEWER_ZONE } from '../format/times.ts'
import { Distance } from '../ui/moment.tsx'
import type { Reading, Timing } from './schedule-form.ts'

const TYPING_MS = 200
const FIRINGS = 5

type State = {
  readonly firings: readonly string[]
  /** The schedule in words. */
  readonly description: string
  /** By firing, what is unusual about it. */
  readonly notes: ReadonlyMap<string, string>
  readonly fault: string | null
  /** The text with the place that is wrong, where the service knows it. */
  readonly place: { readonly text: string; readonly position: number } | null
  readonly isOld: boolean
}

const NOTHING = { firings: [], description: '', notes: new Map<string, string>(), fault: null, place: null } as const

/** `namespace`: whose calendars are meant. */
export function usePreview(reading: Reading, namespace: string): State {
  const key = reading.ok ? questionText(reading.timing, namespace) : ''
  const [state, setState] = useState<State>({ ...NOTHING, isOld: true })
  useEffect(() => {
    if (key === '') return setState((before) => ({ ...before, isOld: true }))
    const abort = new AbortController()
    setState((before) => ({ ...before, isOld: true }))
    const ask = async () => {
      try {
        const question = { ...(JSON.parse(key) as Timing & { readonly namespace?: string }), count: FIRINGS }
        const { firings, description, unusual } = await serverClock.learnFrom(() =>
          duetime.preview(question, { signal: abort.signal }),
        )
        const notes = new Map(unusual.map(({ executeAt, note }) => [executeAt, note]))
        setState({ ...NOTHING, firings, description, notes, isOld: false })
      } catch (error) {
        if (isAbort(error)) return
        const message = error instanceof Error ? error.message : String(error)
        setState({
          ...NOTHING,
          place: placeOf(error),
          fault: error instanceof DuetimeError && error.status !== 0 ? message : `No preview: ${message}`,
          isOld: false,
        })
      }
    }
    const timer = setTimeout(() => void ask(), TYPING_MS)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [key])
  return reading.ok ? state : { ...NOTHING, fault: reading.message, isOld: false }
}

function questionText(timing: Timing, namespace: string): string {
  const named = namespace.trim()
  return JSON.stringify(timing.calendar === undefined || named === '' ? timing : { ...timing, namespace: named })
}

function placeOf(error: unknown): State['place'] {
  if (!(error instanceof DuetimeError)) return null
  const { provided: text, position } = error.details
  return typeof text === 'string' && typeof position === 'number' ? { text, position } : null
}

/** The text, with a mark under the character that is wrong. */
function Place({ text, position }: { readonly text: string; readonly position: number }) {
  return (
    <pre className="mono preview-place" aria-hidden="true">
      {`${text}\n${' '.repeat(position)}^`}
    </pre>
  )
}

export function PreviewList({ state }: { readonly state: State }) {
  const { firings, description, notes, fault, place, isOld } = state
  if (fault !== null) {
    return (
      <div role="status">
        <p className="soft">{fault}</p>
        {place !== null && <Place {...place} />}
      </div>
    )
  }
  return (
    <>
      {description !== '' && <p className="preview-words">{description}</p>}
      <ol className={isOld ? 'preview stale' : 'preview'} aria-label="Next firings" aria-busy={isOld}>
        {firings.map((at, index) => (
          <li key={at}>
            <span className="preview-number">{index + 1}</span>
            <div>
              <div className="num preview-local">{exactly(at)}</div>
              <div className="num soft small mono">{utc(at)}</div>
              {notes.has(at) && <div className="small preview-note">{notes.get(at)}</div>}
            </div>
            <Distance at={at} />
          </li>
        ))}
        {firings.length > 0 && <li className="soft small preview-zone">Your zone: {VIEWER_ZONE}</li>}
      </ol>
    </>
  )
}
