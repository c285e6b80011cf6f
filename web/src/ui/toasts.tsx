// Short news about what was just done, at the edge of the page, read out by screen readers.

import { explain } from '../format/failures.ts'
import { Store, useStore } from '../state/store.ts'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'

type Toast = { readonly id: number; readonly kind: 'good' | 'bad'; readonly title: string; readonly text: string }

const SHOWN_MS = 6_000
const SHOWN_MAX = 4
const shown = new Store<readonly Toast[]>([])
let lastId = 0

export function toast(kind: Toast['kind'], title: string, text = ''): void {
  const id = ++lastId
  shown.set([...shown.get(), { id, kind, title, text }].slice(-SHOWN_MAX))
  setTimeout(() => dismiss(id), kind === 'bad' ? SHOWN_MS * 2 : SHOWN_MS)
}

export function toastError(error: unknown): void {
  const { title, advice } = explain(error instanceof Error ? error : new Error(String(error)))
  toast('bad', title, advice)
}

function dismiss(id: number): void {
  shown.set(shown.get().filter((one) => one.id !== id))
}

export function Toasts() {
  return (
    <div className="toasts" role="status" aria-live="polite">
      {useStore(shown).map(({ id, kind, title, text }) => (
        <div className={`notice ${kind}`} key={id}>
          <Icon name={kind === 'good' ? 'check' : 'alert'} />
          <div>
            <strong>{title}</strong>
            {text !== '' && <div className="soft">{text}</div>}
          </div>
          <div className="end">
            <Button kind="quiet" small icon="cross" aria-label="Dismiss" onClick={() => dismiss(id)} />
          </div>
        </div>
      ))}
    </div>
  )
}
