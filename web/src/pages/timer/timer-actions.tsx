// What can be done to one timer, each offered while its status allows it.

import { useRef, useState } from 'react'
import type { FocusEvent, KeyboardEvent } from 'react'
import { duetime } from '../../api/client.ts'
import type { Timer } from '../../api/timer.ts'
import { hrefOf } from '../../routing/router.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { copyText } from '../../ui/copy.ts'
import { toast, toastError } from '../../ui/toasts.tsx'
import { asCurl, asTypeScript } from './copy-as.ts'

type TimerActionsProps = { readonly timer: Timer; readonly onEdit: () => void; readonly onChanged: () => void }

export function TimerActions({ timer, onEdit, onChanged }: TimerActionsProps) {
  const [isCanceling, setCanceling] = useState(false)
  const { status } = timer
  const isWaiting = status === 'pending' || status === 'paused'
  const run = async (call: () => Promise<unknown>, done: string) => {
    try {
      await call()
      toast('good', done)
    } catch (error) {
      toastError(error)
    }
    onChanged()
  }
  return (
    <div className="buttons">
      {isWaiting && (
        <Button icon="bolt" onClick={() => run(() => duetime.trigger(timer), 'Fires now')}>
          Trigger now
        </Button>
      )}
      {status === 'pending' && (
        <Button icon="pause" onClick={() => run(() => duetime.pause(timer), 'Paused')}>
          Pause
        </Button>
      )}
      {status === 'paused' && (
        <Button icon="play" onClick={() => run(() => duetime.resume(timer), 'Resumed')}>
          Resume
        </Button>
      )}
      {status === 'failed' && (
        <Button kind="primary" icon="retry" onClick={() => run(() => duetime.retry(timer), 'Tried again')}>
          Retry
        </Button>
      )}
      {(isWaiting || status === 'failed') && (
        <Button icon="edit" onClick={onEdit}>
          {isWaiting ? 'Edit' : 'Edit and retry'}
        </Button>
      )}
      <a className="button" href={hrefOf('/new', { ns: timer.namespace, from: timer.id })}>
        Duplicate
      </a>
      <CopyMenu timer={timer} />
      {isWaiting && (
        <Button kind="danger-quiet" icon="cross" onClick={() => setCanceling(true)}>
          Cancel timer
        </Button>
      )}
      {isCanceling && (
        <Confirm
          title="Cancel this timer?"
          action="Cancel timer"
          onClose={() => setCanceling(false)}
          onConfirm={async () => {
            await run(() => duetime.cancel(timer), 'Canceled: it never fires')
            setCanceling(false)
          }}
        >
          <p>
            <code>{timer.id}</code> will never fire. This cannot be undone, but a new timer can have the same id.
          </p>
        </Confirm>
      )}
    </div>
  )
}

const WAYS: readonly (readonly [string, (timer: Timer) => string])[] = [
  ['curl', asCurl],
  ['TypeScript', asTypeScript],
  ['JSON', (timer) => JSON.stringify(timer, null, 2)],
]

function CopyMenu({ timer }: { readonly timer: Timer }) {
  const menu = useRef<HTMLDetailsElement>(null)
  const copy = (name: string, text: string) => {
    menu.current!.open = false
    void copyText(text, `as ${name}`)
  }
  return (
    <details className="menu" ref={menu} onBlur={closeWhenLeft} onKeyDown={closeOnEscape}>
      <summary className="button">Copy as</summary>
      <div>
        {WAYS.map(([name, write]) => (
          <button key={name} type="button" onClick={() => copy(name, write(timer))}>
            {name}
          </button>
        ))}
      </div>
    </details>
  )
}

function closeWhenLeft(event: FocusEvent<HTMLDetailsElement>): void {
  if (!event.currentTarget.contains(event.relatedTarget)) event.currentTarget.open = false
}

function closeOnEscape(event: KeyboardEvent<HTMLDetailsElement>): void {
  if (event.key !== 'Escape') return
  event.currentTarget.open = false
  event.currentTarget.querySelector('summary')?.focus()
}
