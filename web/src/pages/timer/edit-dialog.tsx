// Changing when a timer fires and what it carries. It is sent with the version that was read: if somebody else was
// faster nothing is overwritten, and one is told.

import { DuetimeError } from '@duetime/client'
import type { Metadata, TimerChanges } from '@duetime/client'
import { useState } from 'react'
import { duetime } from '../../api/client.ts'
import { serverClock } from '../../api/server-clock.ts'
import type { Timer } from '../../api/timer.ts'
import { PreviewList, usePreview } from '../../schedule/preview.tsx'
import { ScheduleEditor } from '../../schedule/schedule-editor.tsx'
import { formOf, readForm } from '../../schedule/schedule-form.ts'
import type { ScheduleForm } from '../../schedule/schedule-form.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { JsonField, readJson, readMetadata } from '../../ui/json-field.tsx'
import { Failure } from '../../ui/states.tsx'
import { toast } from '../../ui/toasts.tsx'

type EditDialogProps = {
  readonly timer: Timer
  readonly onClose: () => void
  readonly onReload: () => void
  readonly onSaved: (timer: Timer) => void
}

export function EditDialog({ timer, onClose, onReload, onSaved }: EditDialogProps) {
  const [before] = useState(() => formOf(timer, serverClock.now()))
  const [form, setForm] = useState<ScheduleForm>(before)
  const [payload, setPayload] = useState(() => jsonText(timer.payload))
  const [metadata, setMetadata] = useState(() => jsonText(timer.metadata))
  const [error, setError] = useState<Error | null>(null)
  const timing = readForm(form)
  const preview = usePreview(timing)
  const isConflict = error instanceof DuetimeError && error.code === 'VERSION_CONFLICT'

  const changes = changesOf({ timer, timing: form === before ? null : timing, payload, metadata })
  const isReady = changes !== null && Object.keys(changes).length > 0
  const save = async () => {
    setError(null)
    try {
      onSaved(await duetime.update(timer, { ...changes!, ifVersion: timer.version }))
      toast('good', 'Timer changed', 'The old version never fires.')
    } catch (failure) {
      setError(failure instanceof Error ? failure : new Error(String(failure)))
    }
  }

  const foot = (
    <>
      <Button onClick={onClose}>Close</Button>
      <Button kind="primary" disabled={!isReady} onClick={save}>
        Save changes
      </Button>
    </>
  )
  return (
    <Dialog title={`Edit ${timer.id}`} onClose={onClose} wide foot={foot}>
      {isConflict ? <Conflict onReload={onReload} /> : error !== null && <Failure error={error} />}
      <ScheduleEditor form={form} onChange={setForm} fault={timing.ok ? null : timing.message} />
      <PreviewList state={preview} />
      <JsonField label="Payload" text={payload} onChange={setPayload} />
      <JsonField label="Metadata" text={metadata} onChange={setMetadata} read={readMetadata} rows={3} hint="Labels to find timers by." />
    </Dialog>
  )
}

function Conflict({ onReload }: { readonly onReload: () => void }) {
  return (
    <div className="notice warm" role="alert">
      <Icon name="alert" />
      <div>
        <strong>This timer was changed meanwhile</strong>
        <div>Nothing was overwritten. Reload it to see what it is now, and decide anew.</div>
      </div>
      <div className="end">
        <Button small icon="retry" onClick={onReload}>
          Reload
        </Button>
      </div>
    </div>
  )
}

function jsonText(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value, null, 2)
}

type Edited = {
  readonly timer: Timer
  readonly timing: ReturnType<typeof readForm> | null
  readonly payload: string
  readonly metadata: string
}

/** Only what differs; null while something cannot be read. What was emptied is taken away. */
function changesOf({ timer, timing, payload, metadata }: Edited): TimerChanges | null {
  const read = { payload: readJson(payload), metadata: readMetadata(metadata) }
  if (timing?.ok === false || !read.payload.ok || !read.metadata.ok) return null
  return {
    ...timing?.timing,
    ...(payload === jsonText(timer.payload) ? {} : { payload: read.payload.value ?? null }),
    ...(metadata === jsonText(timer.metadata) ? {} : { metadata: (read.metadata.value ?? null) as Metadata | null }),
  }
}
