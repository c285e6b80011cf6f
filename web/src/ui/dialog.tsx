// A real modal dialog: the browser keeps the focus inside, Escape closes it, and the focus goes back where it was.

import { useEffect, useId, useRef } from 'react'
import type { ReactNode } from 'react'

type DialogProps = {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
  readonly foot?: ReactNode
  readonly wide?: boolean
  /** While something is under way that must not be left by a slip of the finger. */
  readonly isHeld?: boolean
}

export function Dialog({ title, onClose, children, foot, wide = false, isHeld = false }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useEffect(() => {
    const dialog = element.current
    const returnTo = document.activeElement
    dialog?.showModal()
    return () => {
      dialog?.close()
      if (returnTo instanceof HTMLElement) returnTo.focus()
    }
  }, [])
  return (
    <dialog
      ref={element}
      className={wide ? 'wide' : ''}
      aria-labelledby={titleId}
      onCancel={(event) => {
        // The cancel of a file picker inside bubbles up here, too.
        if (event.target !== element.current) return
        event.preventDefault()
        if (!isHeld) onClose()
      }}
      onClick={(event) => {
        if (event.target === element.current && !isHeld) onClose()
      }}
    >
      <div className="dialog-body">
        <h2 id={titleId}>{title}</h2>
        {children}
      </div>
      {foot !== undefined && <div className="dialog-foot">{foot}</div>}
    </dialog>
  )
}
