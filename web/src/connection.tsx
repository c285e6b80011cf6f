// Whether the service is there: a dot in the rail, and a banner when it is not, with the time of the next try.

import type { DuetimeError } from '@duetime/client'
import { useEffect, useState } from 'react'
import { liveFeed } from './api/live-feed.ts'
import { explain } from './format/failures.ts'
import { session } from './session/session.ts'
import { useStore } from './state/store.ts'
import { Button } from './ui/button.tsx'
import { Icon } from './ui/icon.tsx'

const WORDS = { connecting: 'Connecting', live: 'Live', lost: 'Disconnected', unavailable: 'Not live' } as const

export function Pulse() {
  const { state } = useStore(liveFeed.connection)
  const { needs } = useStore(session.store)
  const shown = needs === 'nothing' ? state : 'connecting'
  return (
    <span className="pulse" data-state={shown} title={WORDS[shown]}>
      <i aria-hidden="true" />
      <span>{needs === 'nothing' ? WORDS[shown] : 'Signed out'}</span>
    </span>
  )
}

export function ConnectionBanner() {
  const connection = useStore(liveFeed.connection)
  const { needs } = useStore(session.store)
  if (connection.state !== 'lost' || needs !== 'nothing') return null
  const { title, advice } = wordsFor(connection.reason)
  return (
    <div className="notice warm banner" role="alert">
      <Icon name="alert" />
      <div>
        <strong>{title}</strong>
        <div>
          {advice} <RetryCountdown retryAt={connection.retryAt} />
        </div>
      </div>
      <div className="end">
        <Button small icon="retry" onClick={() => liveFeed.retryNow()}>
          Reconnect now
        </Button>
      </div>
    </div>
  )
}

function wordsFor(reason: DuetimeError | null): { title: string; advice: string } {
  if (reason !== null && reason.status !== 0) return explain(reason)
  return { title: 'Disconnected', advice: 'What you see may be old. Timers go on firing as long as the service runs.' }
}

function RetryCountdown({ retryAt }: { readonly retryAt: number }) {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 250)
    return () => clearInterval(timer)
  }, [])
  const seconds = Math.ceil((retryAt - now) / 1_000)
  return <span className="num">{seconds > 0 ? `Next try in ${seconds} s.` : 'Trying…'}</span>
}
