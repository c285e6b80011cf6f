// A timer's status, told by word and colour.

import type { Status } from '../api/timer.ts'

export function StatusPill({ status }: { readonly status: Status }) {
  return (
    <span className="pill" data-status={status}>
      {status}
    </span>
  )
}
