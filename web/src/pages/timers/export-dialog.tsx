// Export: what will be in it, how far it is, and a way out.

import { useEffect, useRef, useState } from 'react'
import { isAbort } from '../../api/client.ts'
import { count, plural } from '../../format/numbers.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectField } from '../../ui/field.tsx'
import { Failure } from '../../ui/states.tsx'
import { toast } from '../../ui/toasts.tsx'
import { exportTimers, FORMATS, saveFile } from './export-work.ts'
import type { Format } from './export-work.ts'
import { hasFilters } from './view.ts'
import type { View } from './view.ts'

const PROGRESS_MS = 200

export function ExportDialog({
  view,
  total,
  onClose,
}: {
  readonly view: View
  readonly total: number | null
  readonly onClose: () => void
}) {
  const [format, setFormat] = useState<Format>('csv')
  const [written, setWritten] = useState<number | null>(null)
  const [error, setError] = useState<Error | null>(null)
  const abort = useRef<AbortController | null>(null)
  useEffect(() => () => abort.current?.abort(), [])

  const run = async () => {
    abort.current = new AbortController()
    setError(null)
    setWritten(0)
    let shownAt = 0
    const onProgress = (now: number) => {
      if (performance.now() - shownAt < PROGRESS_MS) return
      shownAt = performance.now()
      setWritten(now)
    }
    try {
      let last = 0
      const file = await exportTimers(view, format, (now) => onProgress((last = now)), abort.current.signal)
      saveFile(file, `timers-${new Date().toISOString().slice(0, 19).replaceAll(':', '')}.${format}`)
      toast('good', `Exported ${plural(last, 'timer')}`)
      onClose()
    } catch (failure) {
      setWritten(null)
      if (!isAbort(failure)) setError(failure instanceof Error ? failure : new Error(String(failure)))
    }
  }

  const isRunning = written !== null
  const foot = (
    <>
      <Button onClick={() => (isRunning ? abort.current?.abort() : onClose())}>{isRunning ? 'Stop' : 'Close'}</Button>
      <Button kind="primary" icon="down" disabled={isRunning} onClick={run}>
        Export
      </Button>
    </>
  )
  return (
    <Dialog title="Export timers" onClose={onClose} isHeld={isRunning} foot={foot}>
      <p className="soft">
        {total === null ? 'All timers' : plural(total, 'timer')}{' '}
        {view.namespace === null ? 'of all namespaces' : `of ${view.namespace}`}
        {hasFilters(view) ? ' that match the filters' : ''}. Values of callback headers are left as ***.
      </p>
      <SelectField
        label="Format"
        value={format}
        options={Object.entries(FORMATS) as [Format, string][]}
        onChange={setFormat}
      />
      {isRunning && (
        <div role="status">
          <p className="num">{count(written)} written…</p>
          <progress aria-label="Progress" max={total ?? undefined} value={total === null ? undefined : written} />
        </div>
      )}
      {error !== null && <Failure error={error} />}
    </Dialog>
  )
}
