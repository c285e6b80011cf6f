// The next firings of what the form says, asked of the service itself, so that it cannot be wrong.

import { useEffect, useState } from 'react'
import { ApiError, isAbort } from '../api/http.ts'
import { timersApi } from '../api/timers.ts'
import type { Timing } from '../api/timers.ts'
import { exactly, utc, VIEWER_ZONE } from '../format/times.ts'
import { Distance } from '../ui/moment.tsx'
import type { Reading } from './schedule-form.ts'

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
        const { firings } = await timersApi.preview({ ...(JSON.parse(key) as Timing), count: FIRINGS }, abort.signal)
        setState({ firings, fault: null, isOld: false })
      } catch (error) {
        if (isAbort(error)) return
        const message = error instanceof Error ? error.message : String(error)
        setState({ firings: [], fault: error instanceof ApiError ? message : `No preview: ${message}`, isOld: false })
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
