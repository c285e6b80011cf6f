// A node's health in a word.

const SILENT_FROM_MS = 5_000 // as long as a lease lasts by default

export function StatusWord({ isLeaving, silentMs }: { readonly isLeaving: boolean; readonly silentMs: number }) {
  if (isLeaving) {
    return (
      <span className="pill" data-status="paused">
        leaving
      </span>
    )
  }
  const isSilent = silentMs >= SILENT_FROM_MS
  return (
    <span className="pill" data-status={isSilent ? 'failed' : 'completed'}>
      {isSilent ? 'silent' : 'alive'}
    </span>
  )
}
