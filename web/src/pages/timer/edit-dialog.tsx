// Changing when a timer fires, where, and what it carries; one that failed is tried again with the changes. They are sent with
// the version that was read: if somebody else was faster nothing is overwritten, and one is told.

import { DuetimeError } from '@duetime/client'
import type { Metadata, TimerChanges } from '@duetime/client'
import { useState } from 'react'
import { duetime } from '../../api/client.ts'
import { serverClock } from '../../api/server-clock.ts'
import type { Timer } from '../../api/timer.ts'
import { CallbackFields, CallbackKind } from '../../callback/callback-fields.tsx'
import { callbackFault, callbackForm, callbackOf, retryFields, retryForm } from '../../callback/callback-form.ts'
import type { CallbackForm, RetryForm } from '../../callback/callback-form.ts'
import { RetryFields } from '../../callback/retry-fields.tsx'
import { CalendarField } from '../../schedule/calendar-field.tsx'
import { PreviewList, usePreview } from '../../schedule/preview.tsx'
import { missedChanges } from '../../schedule/rules-form.ts'
import { ScheduleEditor } from '../../schedule/schedule-editor.tsx'
import { formLike, formOf, isRepeated, readForm, repeats } from '../../schedule/schedule-form.ts'
import type { ScheduleForm } from '../../schedule/schedule-form.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { JsonField, jsonText, readJson, readMetadata } from '../../ui/json-field.tsx'
import { Failure } from '../../ui/states.tsx'
import { Choice } from '../../ui/tabs.tsx'
import { toast } from '../../ui/toasts.tsx'

type EditDialogProps = {
  readonly timer: Timer
  readonly onClose: () => void
  readonly onReload: () => void
  readonly onSaved: (timer: Timer) => void
}

export function EditDialog({ timer, onClose, onReload, onSaved }: EditDialogProps) {
  const isRetry = timer.status === 'failed'
  const [before] = useState(() => formsOf(timer))
  const [forms, setForms] = useState<Forms>(before)
  const [isLater, setLater] = useState(!isRetry)
  const [error, setError] = useState<Error | null>(null)
  const change = (changes: Partial<Forms>) => setForms((last) => ({ ...last, ...changes }))
  const timing = readForm(forms.when)
  const preview = usePreview(timing, timer.namespace)
  const isConflict = error instanceof DuetimeError && error.code === 'VERSION_CONFLICT'
  const faultOf = (field: string) =>
    error instanceof DuetimeError && error.details['field'] === field ? error.message : null

  const changes = changesOf(before, forms, isRetry ? isLater : forms.when !== before.when)
  const isReady = changes !== null && (isRetry || Object.keys(changes).length > 0)
  const save = async () => {
    setError(null)
    try {
      onSaved(
        await duetime.update(timer, {
          ...changes!,
          ifVersion: timer.version,
          ...(isRetry ? { retry: true } : {}),
        } as TimerChanges),
      )
      if (isRetry) toast('good', 'Timer changed', 'It is tried again.')
      else toast('good', 'Timer changed', 'The old version never fires.')
    } catch (failure) {
      setError(failure instanceof Error ? failure : new Error(String(failure)))
    }
  }

  const foot = (
    <>
      <Button onClick={onClose}>Close</Button>
      <Button kind="primary" disabled={!isReady} onClick={save}>
        {isRetry ? 'Save and retry' : 'Save changes'}
      </Button>
    </>
  )
  return (
    <Dialog title={isRetry ? `Edit ${timer.id} and retry` : `Edit ${timer.id}`} onClose={onClose} wide foot={foot}>
      {isConflict ? <Conflict onReload={onReload} /> : error !== null && <Failure error={error} />}
      {isRetry && (
        <Choice
          label="When it is tried again"
          value={isLater ? 'later' : 'now'}
          options={WHENS}
          onChange={(when) => setLater(when === 'later')}
        />
      )}
      {isLater && (
        <>
          <ScheduleEditor
            form={forms.when}
            onChange={(when) => change({ when })}
            fault={timing.ok ? null : timing.message}
          />
          <CalendarField
            namespace={timer.namespace}
            form={forms.when}
            onChange={(when) => change({ when })}
            isRepeated={isRepeated(timing)}
          />
          <PreviewList state={preview} />
        </>
      )}
      <CallbackKind
        form={forms.callback}
        change={(callback) => change({ callback: { ...forms.callback, ...callback } })}
      />
      <CallbackFields
        form={forms.callback}
        change={(callback) => change({ callback: { ...forms.callback, ...callback } })}
        fault={
          callbackOf(forms.callback) === null && callbackOf(before.callback) !== null
            ? callbackFault(forms.callback)
            : null
        }
        faultOf={faultOf}
      />
      <JsonField label="Payload" text={forms.payload} onChange={(payload) => change({ payload })} />
      <JsonField
        label="Metadata"
        text={forms.metadata}
        onChange={(metadata) => change({ metadata })}
        read={readMetadata}
        rows={3}
        hint="Labels to find timers by."
      />
      <details className="more">
        <summary>Retries and timeout</summary>
        <div className="fields">
          <RetryFields
            form={forms.retry}
            change={(retry) => change({ retry: { ...forms.retry, ...retry } })}
            faultOf={faultOf}
          />
        </div>
      </details>
    </Dialog>
  )
}

const WHENS = [
  ['now', 'At once'],
  ['later', 'At another time'],
] as const

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

type Forms = {
  readonly when: ScheduleForm
  readonly callback: CallbackForm
  readonly retry: RetryForm
  readonly payload: string
  readonly metadata: string
}

function formsOf(timer: Timer): Forms {
  const now = serverClock.now()
  return {
    when: timer.status === 'failed' ? formLike(timer, now) : formOf(timer, now),
    callback: callbackForm(timer),
    retry: retryForm(timer),
    payload: jsonText(timer.payload),
    metadata: jsonText(timer.metadata),
  }
}

/** Only what differs; null while something cannot be read. What was emptied is taken away, but for the callback. */
function changesOf(before: Forms, forms: Forms, isTimed: boolean): Partial<TimerChanges> | null {
  const timing = isTimed ? readForm(forms.when) : null
  const read = { payload: readJson(forms.payload), metadata: readMetadata(forms.metadata) }
  const [callback, oldCallback] = [callbackOf(forms.callback), callbackOf(before.callback)]
  if (timing?.ok === false || !read.payload.ok || !read.metadata.ok || (callback === null && oldCallback !== null))
    return null
  return {
    ...timing?.timing,
    ...(timing?.ok === true && timing.timing.schedule !== undefined && repeats(timing.timing.schedule)
      ? missedChanges(forms.when.rules)
      : {}),
    ...(callback === null || JSON.stringify(callback) === JSON.stringify(oldCallback) ? {} : { callback }),
    ...(forms.payload === before.payload ? {} : { payload: read.payload.value ?? null }),
    ...(forms.metadata === before.metadata ? {} : { metadata: (read.metadata.value ?? null) as Metadata | null }),
    ...retryFields(forms.retry, before.retry),
  }
}
