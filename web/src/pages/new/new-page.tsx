// Making a timer: when, where, with what; and seeing before it is stored what will come of it.

import { DuetimeError } from '@duetime/client'
import { useState } from 'react'
import { duetime } from '../../api/client.ts'
import { serverClock } from '../../api/server-clock.ts'
import { CallbackFields, CallbackKind } from '../../callback/callback-fields.tsx'
import { navigate, timerHref, useCurrentPlace } from '../../routing/router.ts'
import { CalendarField } from '../../schedule/calendar-field.tsx'
import { PreviewList, usePreview } from '../../schedule/preview.tsx'
import { ScheduleEditor } from '../../schedule/schedule-editor.tsx'
import { emptyForm, formLike, isRepeated, readForm } from '../../schedule/schedule-form.ts'
import type { ScheduleForm } from '../../schedule/schedule-form.ts'
import { useResource } from '../../state/resource.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { JsonField } from '../../ui/json-field.tsx'
import { Failure, Skeleton } from '../../ui/states.tsx'
import { toast } from '../../ui/toasts.tsx'
import { AdvancedFields } from './advanced-fields.tsx'
import { CallbackTester } from './callback-tester.tsx'
import { emptyNewForm, newFormLike, readNewForm } from './new-timer.ts'
import type { Faults, NewForm } from './new-timer.ts'

/** `from`: the id of a timer to make another one like. */
export function NewPage() {
  const { params } = useCurrentPlace()
  const [namespace, from] = [params.get('ns'), params.get('from')]
  return from === null ? (
    <NewTimer key="new" form={emptyNewForm(namespace)} when={emptyForm(serverClock.now())} />
  ) : (
    <Duplicate key={from} namespace={namespace ?? 'default'} id={from} />
  )
}

/** Header values that answers hide are asked for, which takes the right to make timers there. */
function Duplicate({ namespace, id }: { readonly namespace: string; readonly id: string }) {
  const {
    data: timer,
    error,
    reload,
  } = useResource(`${namespace}\n${id}`, (signal) => duetime.get({ namespace, id }, { includeSecrets: true, signal }))
  if (timer !== undefined) return <NewTimer form={newFormLike(timer)} when={formLike(timer, serverClock.now())} />
  return error === undefined ? <Skeleton height={300} /> : <Failure error={error} onRetry={reload} />
}

type NewTimerProps = { readonly form: NewForm; readonly when: ScheduleForm }

function NewTimer({ form: first, when: firstWhen }: NewTimerProps) {
  const [form, setForm] = useState(first)
  const [when, setWhen] = useState(firstWhen)
  const [isTried, setTried] = useState(false)
  const [error, setError] = useState<Error | null>(null)
  const change = (changes: Partial<NewForm>) => setForm((before) => ({ ...before, ...changes }))
  const timing = readForm(when)
  const preview = usePreview(timing, form.namespace)
  const read = readNewForm(form, timing, when)
  const faults: Faults = isTried && !read.ok ? read.faults : {}
  const refusedField = error instanceof DuetimeError ? error.details['field'] : null
  const faultOf = (field: string) => (refusedField === field && error !== null ? error.message : null)

  const create = async () => {
    setTried(true)
    setError(null)
    if (!read.ok) return
    try {
      const timer = await duetime.create(read.timer)
      toast('good', 'Timer created', 'It is on disk and will fire.')
      navigate(timerHref(timer.namespace, timer.id))
    } catch (failure) {
      setError(failure instanceof Error ? failure : new Error(String(failure)))
    }
  }

  return (
    <form
      className="new-page"
      onSubmit={(event) => {
        event.preventDefault()
        void create()
      }}
    >
      <div className="page-head">
        <div className="grow">
          <h1>New timer</h1>
          <p>Say when and where. It is stored on disk before you see its page.</p>
        </div>
      </div>
      <div className="new-body">
        <div className="stack">
          <section className="card form-card" aria-labelledby="when">
            <h2 id="when">When</h2>
            <ScheduleEditor
              form={when}
              onChange={setWhen}
              fault={timing.ok ? (faultOf('schedule') ?? faultOf('executeAt')) : timing.message}
              faultOf={faultOf}
            />
            <CalendarField namespace={form.namespace} form={when} onChange={setWhen} isRepeated={isRepeated(timing)} />
          </section>
          <section className="card form-card" aria-labelledby="where">
            <div className="form-head">
              <h2 id="where">Where</h2>
              <CallbackKind form={form} change={change} />
            </div>
            <CallbackFields form={form} change={change} fault={faults.callback ?? null} faultOf={faultOf} />
            <JsonField
              label="Payload"
              text={form.payload}
              onChange={(payload) => change({ payload })}
              placeholder={'{"userId": 42}'}
              fault={faultOf('payload')}
            />
            <CallbackTester form={form} />
          </section>
          <section className="card form-card" aria-labelledby="name">
            <h2 id="name">Name</h2>
            <div className="fields">
              <TextField
                label="Id"
                value={form.id}
                onChange={(id) => change({ id })}
                mono
                placeholder="made for you"
                hint="Any text; unique in its namespace."
                fault={faultOf('id')}
              />
              <TextField
                label="Namespace"
                value={form.namespace}
                onChange={(namespace) => change({ namespace })}
                mono
                fault={faultOf('namespace')}
              />
            </div>
            <details className="more">
              <summary>Retries, timeout, metadata</summary>
              <AdvancedFields form={form} change={change} faultOf={faultOf} />
            </details>
          </section>
        </div>
        <aside className="stack new-side">
          <section className="card form-card" aria-labelledby="preview">
            <h2 id="preview">Next firings</h2>
            <PreviewList state={preview} />
          </section>
          {error !== null && <Failure error={error} />}
          <Button kind="primary" icon="plus" type="submit">
            Create timer
          </Button>
        </aside>
      </div>
    </form>
  )
}
