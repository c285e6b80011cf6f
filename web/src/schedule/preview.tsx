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

type State = { readonly firings: readonly string[]; readonly fault: string | null; readonly isOld: boolean }

export function usePreview(reading: Reading): State {
  const key = reading.ok ? JSON.stringify(reading.timing) : ''
  const [state, setState] = useState<State>({ firings: [], fault: null, isOld: true })
  useEffect(() => {
    if (key === '') return setState((before) => ({ ...before, isOld: true }))
    const abort = new AbortController()
    setState((before) => ({ ...before, isOld: true }))
    const ask = async () => {
      try {
        const question = { ...(JSON.parse(key) as Timing), count: FIRINGS }
        const { firings } = await serverClock.learnFrom(() => duetime.preview(question, { signal: abort.signal }))
        setState({ firings, fault: null, isOld: false })
      } catch (error) {
        if (isAbort(error)) return
        const message = error instanceof Error ? error.message : String(error)
        setState({
          firings: [],
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
  return reading.ok ? state : { firings: [], fault: reading.message, isOld: false }
}

export function PreviewList({ state }: { readonly state: State }) {
  const { firings, fault, isOld } = state
  if (fault !== null) {
    return (
      <p className="soft" role="status">
        {fault}
      </p>
    )
  }
  return (
    <ol className={isOld ? 'preview stale' : 'preview'} aria-label="Next firings" aria-busy={isOld}>
      {firings.map((at, index) => (
        <li key={at}>
          <span className="preview-number">{index + 1}</span>
          <div>
            <div className="num preview-local">{exactly(at)}</div>
            <div className="num soft small mono">{utc(at)}</div>
          </div>
          <Distance at={at} />
        </li>
      ))}
      {firings.length > 0 && <li className="soft small preview-zone">Your zone: {VIEWER_ZONE}</li>}
    </ol>
  )
}
