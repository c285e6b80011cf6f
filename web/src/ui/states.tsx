// What a page shows when there is nothing to show: loading, empty, failed.

import type { ReactNode } from 'react'
import { explain } from '../format/failures.ts'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import type { IconName } from './icon.tsx'

export function Failure({ error, onRetry }: { readonly error: Error; readonly onRetry?: () => void }) {
  const { title, advice } = explain(error)
  return (
    <div className="notice bad" role="alert">
      <Icon name="alert" />
      <div>
        <strong>{title}</strong>
        <div>{advice}</div>
      </div>
      {onRetry !== undefined && (
        <div className="end">
          <Button small icon="retry" onClick={onRetry}>
            Try again
          </Button>
        </div>
      )}
    </div>
  )
}

export function Empty({
  icon,
  title,
  children,
}: {
  readonly icon: IconName
  readonly title: string
  readonly children: ReactNode
}) {
  return (
    <div className="empty">
      <Icon name={icon} size={32} />
      <h2>{title}</h2>
      {children}
    </div>
  )
}

export function Skeleton({ width = '100%', height = 14 }: { readonly width?: string; readonly height?: number }) {
  return <span className="skeleton" style={{ width, height }} aria-hidden="true" />
}
