// Asking before something that cannot be undone: what will happen, to how many, and a button that names it.

import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'

type ConfirmProps = {
  readonly title: string
  readonly children: ReactNode
  readonly action: string
  readonly isDanger?: boolean
  readonly disabled?: boolean
  readonly onConfirm: () => unknown
  readonly onClose: () => void
}

export function Confirm({
  title,
  children,
  action,
  isDanger = true,
  disabled = false,
  onConfirm,
  onClose,
}: ConfirmProps) {
  const foot = (
    <>
      <Button onClick={onClose} autoFocus>
        Keep as is
      </Button>
      <Button kind={isDanger ? 'danger' : 'primary'} disabled={disabled} onClick={onConfirm}>
        {action}
      </Button>
    </>
  )
  return (
    <Dialog title={title} onClose={onClose} foot={foot}>
      {children}
    </Dialog>
  )
}
