// A button that can have an icon, and be busy: pressed once, it cannot be pressed again until it is done.

import { useState } from 'react'
import type { ButtonHTMLAttributes, ReactNode } from 'react'
import { Icon } from './icon.tsx'
import type { IconName } from './icon.tsx'

type Kind = 'plain' | 'primary' | 'danger' | 'danger-quiet' | 'quiet'

type ButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'onClick'> & {
  readonly kind?: Kind
  readonly icon?: IconName
  readonly small?: boolean
  readonly children?: ReactNode
  readonly onClick?: () => unknown
}

export function Button({
  kind = 'plain',
  icon,
  small = false,
  children,
  onClick,
  disabled,
  type = 'button',
  ...rest
}: ButtonProps) {
  const [isBusy, setBusy] = useState(false)
  const press = () => {
    const result = onClick?.()
    if (!(result instanceof Promise)) return
    setBusy(true)
    void result.finally(() => setBusy(false))
  }
  const names = [
    'button',
    kind === 'plain' ? '' : kind,
    small ? 'small' : '',
    children === undefined ? 'icon-only' : '',
  ]
  return (
    <button
      {...rest}
      type={type}
      className={names.filter(Boolean).join(' ')}
      disabled={disabled === true || isBusy}
      aria-busy={isBusy}
      onClick={press}
    >
      {icon !== undefined && <Icon name={icon} size={small ? 14 : 15} />}
      {children}
    </button>
  )
}
