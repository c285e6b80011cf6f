// The frame around every page: where one can go, which namespace is looked at, and whether the service is there.

import type { ReactNode } from 'react'
import { hrefOf, useCurrentPlace } from './routing/router.ts'
import { session } from './session/session.ts'
import { useStore } from './state/store.ts'
import { Button } from './ui/button.tsx'
import { ConnectionBanner, Pulse } from './connection.tsx'
import { Icon, Logo } from './ui/icon.tsx'
import type { IconName } from './ui/icon.tsx'
import { NamespacePicker } from './namespace-picker.tsx'
import { setTheme, useIsDark } from './ui/theme.ts'
import { Toasts } from './ui/toasts.tsx'

const PLACES: readonly {
  readonly path: string
  readonly name: string
  readonly icon: IconName
  readonly keys: string
}[] = [
  { path: '/', name: 'Overview', icon: 'gauge', keys: 'g o' },
  { path: '/timers', name: 'Timers', icon: 'list', keys: 'g t' },
  { path: '/calendars', name: 'Calendars', icon: 'calendar', keys: 'g c' },
  { path: '/new', name: 'New timer', icon: 'plus', keys: 'n' },
]

export function Shell({ children, onHelp }: { readonly children: ReactNode; readonly onHelp: () => void }) {
  return (
    <div className="shell">
      <a className="skip" href="#main" onClick={skipToMain}>
        Skip to content
      </a>
      <header className="rail">
        <a className="brand" href={hrefOf('/')} aria-label="Duetime, overview">
          <Logo />
          <span>Duetime</span>
        </a>
        <NamespacePicker />
        <nav aria-label="Pages">
          <ul>
            {PLACES.map(({ keys, ...place }) => (
              <li key={place.path}>
                <PlaceLink {...place}>
                  <kbd aria-hidden="true">{keys}</kbd>
                </PlaceLink>
              </li>
            ))}
          </ul>
        </nav>
        <RailFoot onHelp={onHelp} />
      </header>
      <main className="main" id="main" tabIndex={-1}>
        <ConnectionBanner />
        {children}
      </main>
      <nav className="tabbar" aria-label="Pages, at the bottom">
        {PLACES.map((place) => (
          <PlaceLink key={place.path} path={place.path} name={place.name} icon={place.icon} />
        ))}
      </nav>
      <Toasts />
    </div>
  )
}

/** The hash belongs to the router, so the jump is done by hand. */
function skipToMain(event: { preventDefault: () => void }): void {
  event.preventDefault()
  document.getElementById('main')?.focus()
}

type PlaceLinkProps = {
  readonly path: string
  readonly name: string
  readonly icon: IconName
  readonly children?: ReactNode
}

function PlaceLink({ path, name, icon, children }: PlaceLinkProps) {
  const here = useCurrentPlace()
  const isHere = path === '/' ? here.path === '/' : here.path.startsWith(path)
  const namespace = here.params.get('ns')
  return (
    <a href={hrefOf(path, { ns: namespace })} aria-current={isHere ? 'page' : undefined}>
      <Icon name={icon} />
      {name}
      {children}
    </a>
  )
}

function RailFoot({ onHelp }: { readonly onHelp: () => void }) {
  const { key, needs } = useStore(session.store)
  const isDark = useIsDark()
  return (
    <div className="rail-foot">
      <Pulse />
      <div className="rail-tools">
        <Button
          kind="quiet"
          icon={isDark ? 'sun' : 'moon'}
          aria-label={isDark ? 'Use light colours' : 'Use dark colours'}
          title={isDark ? 'Light' : 'Dark'}
          onClick={() => setTheme(isDark ? 'light' : 'dark')}
        />
        <Button
          kind="quiet"
          icon="help"
          aria-label="Keyboard shortcuts"
          title="Keyboard shortcuts (?)"
          onClick={onHelp}
        />
        {key !== null && needs === 'nothing' && (
          <Button kind="quiet" icon="leave" aria-label="Sign out" title="Sign out" onClick={() => session.signOut()} />
        )}
        <a className="button quiet small rail-hint" href="docs">
          API
        </a>
      </div>
    </div>
  )
}
