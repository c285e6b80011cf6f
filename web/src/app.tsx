// Which page is shown: by the URL, or the sign-in while the service wants a key.

import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { liveFeed } from './api/live-feed.ts'
import { CalendarsPage } from './pages/calendars/calendars-page.tsx'
import { NewPage } from './pages/new/new-page.tsx'
import { OverviewPage } from './pages/overview/overview-page.tsx'
import { TimerPage } from './pages/timer/timer-page.tsx'
import { TimersPage } from './pages/timers/timers-page.tsx'
import { hrefOf, readTimerPath, useCurrentPlace } from './routing/router.ts'
import { session } from './session/session.ts'
import { SignIn } from './session/sign-in.tsx'
import { HelpDialog, useShortcuts } from './shortcuts.tsx'
import { Shell } from './shell.tsx'
import { useStore } from './state/store.ts'
import { ErrorBoundary } from './ui/error-boundary.tsx'

export function App() {
  const { path, params } = useCurrentPlace()
  const { key, needs } = useStore(session.store)
  const [isHelping, setHelping] = useState(false)
  const namespace = params.get('ns')
  useShortcuts(openHelp)
  useEffect(() => liveFeed.watch(namespace), [namespace])
  useEffect(() => {
    document.title = titleOf(path)
  }, [path])

  function openHelp(): void {
    setHelping(true)
  }

  return (
    <Shell onHelp={openHelp}>
      {/* Another key may see other things: nothing of what the last one saw is kept. */}
      {needs === 'nothing' ? (
        <ErrorBoundary key={`${key ?? ''} ${path}`}>{pageFor(path)}</ErrorBoundary>
      ) : (
        <SignIn key={key ?? ''} />
      )}
      {isHelping && <HelpDialog onClose={() => setHelping(false)} />}
    </Shell>
  )
}

function pageFor(path: string): ReactNode {
  if (path === '/') return <OverviewPage />
  if (path === '/timers') return <TimersPage />
  if (path === '/calendars') return <CalendarsPage />
  if (path === '/new') return <NewPage />
  const name = readTimerPath(path)
  if (name !== null) return <TimerPage key={path} {...name} />
  return (
    <div className="empty">
      <h1>There is no such page</h1>
      <p>The address may be mistyped.</p>
      <a className="button" href={hrefOf('/')}>
        Go to the overview
      </a>
    </div>
  )
}

const TITLES: Readonly<Record<string, string>> = { '/timers': 'Timers', '/calendars': 'Calendars', '/new': 'New timer' }

function titleOf(path: string): string {
  const name = readTimerPath(path)
  if (name !== null) return `${name.id} · Duetime`
  const title = TITLES[path]
  return title === undefined ? 'Duetime' : `${title} · Duetime`
}
