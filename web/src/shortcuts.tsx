// The keyboard: letters go places, unless one is typing.

import { useEffect, useRef } from 'react'
import { hrefOf, navigate, useCurrentPlace } from './routing/router.ts'
import { Button } from './ui/button.tsx'
import { Dialog } from './ui/dialog.tsx'

const CHORD_WITHIN_MS = 1_200

export function useShortcuts(onHelp: () => void): void {
  const { params } = useCurrentPlace()
  const ns = params.get('ns')
  const lastG = useRef(-Infinity)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (
        event.ctrlKey ||
        event.metaKey ||
        event.altKey ||
        isTyping(event.target) ||
        document.querySelector('dialog[open]') !== null
      )
        return
      const isChord = event.timeStamp - lastG.current < CHORD_WITHIN_MS
      lastG.current = event.key === 'g' ? event.timeStamp : -Infinity
      const act = actionFor(event.key, isChord, ns, onHelp)
      if (act === null) return
      event.preventDefault()
      act()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [ns, onHelp])
}

function actionFor(key: string, isChord: boolean, ns: string | null, onHelp: () => void): (() => void) | null {
  if (isChord && key === 'o') return () => navigate(hrefOf('/', { ns }))
  if (isChord && key === 't') return () => navigate(hrefOf('/timers', { ns }))
  if (isChord && key === 'c') return () => navigate(hrefOf('/calendars', { ns }))
  if (key === 'n') return () => navigate(hrefOf('/new', { ns }))
  if (key === '?') return onHelp
  if (key === '/') return () => focusSearch(ns)
  return null
}

/** Wherever one is: the search is on the page of the timers. */
function focusSearch(ns: string | null): void {
  if (document.getElementById('search') === null) navigate(hrefOf('/timers', { ns }))
  requestAnimationFrame(() => requestAnimationFrame(() => document.getElementById('search')?.focus()))
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
}

const HELP: readonly (readonly [string, string])[] = [
  ['g o', 'Overview'],
  ['g t', 'Timers'],
  ['g c', 'Calendars'],
  ['n', 'New timer'],
  ['/', 'Search timers'],
  ['?', 'This help'],
  ['Esc', 'Close a dialog, leave the search'],
]

export function HelpDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose} foot={<Button onClick={onClose}>Close</Button>}>
      <dl className="facts">
        {HELP.map(([keys, what]) => (
          <div className="facts-row" key={keys}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
