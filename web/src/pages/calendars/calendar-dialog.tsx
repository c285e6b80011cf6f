// Making or changing a calendar: one entry a line. What is wrong is said by the service, at the field where it stands.

import { DuetimeError } from '@duetime/client'
import type { Calendar } from '@duetime/client'
import { useId, useState } from 'react'
import { duetime } from '../../api/client.ts'
import { VIEWER_ZONE } from '../../format/times.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, TextField } from '../../ui/field.tsx'
import { Failure } from '../../ui/states.tsx'

type CalendarDialogProps = {
  readonly namespace: string
  /** Null for a new one. */
  readonly calendar: Calendar | null
  readonly onSaved: (name: string) => void
  readonly onClose: () => void
}

const FIELDS = ['name', 'timeZone', 'exclude', 'allow']

export function CalendarDialog({ namespace, calendar, onSaved, onClose }: CalendarDialogProps) {
  const formId = useId()
  const [name, setName] = useState(calendar?.name ?? '')
  const [timeZone, setTimeZone] = useState(calendar?.timeZone ?? VIEWER_ZONE)
  const [exclude, setExclude] = useState(calendar?.exclude.join('\n') ?? 'SAT-SUN')
  const [allow, setAllow] = useState(calendar?.allow.join('\n') ?? '')
  const [error, setError] = useState<Error | null>(null)
  // exclude[3] is the fourth entry of exclude.
  const field = error instanceof DuetimeError ? error.details['field'] : undefined
  const wrong = typeof field === 'string' ? field.replace(/\[\d+\]$/, '') : ''
  const faultOf = (one: string) => (wrong === one && error !== null ? error.message : null)

  const save = async () => {
    setError(null)
    try {
      const fields = { timeZone: timeZone.trim(), exclude: linesOf(exclude), allow: linesOf(allow) }
      await duetime.calendars.put(name.trim(), fields, { namespace })
      onSaved(name.trim())
    } catch (failure) {
      setError(failure instanceof Error ? failure : new Error(String(failure)))
    }
  }

  const foot = (
    <>
      <Button onClick={onClose}>Keep as is</Button>
      <Button kind="primary" type="submit" form={formId}>
        Save calendar
      </Button>
    </>
  )
  return (
    <Dialog title={calendar === null ? 'New calendar' : `Calendar ${calendar.name}`} onClose={onClose} foot={foot} wide>
      <form
        id={formId}
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <div className="fields">
          {calendar === null && (
            <TextField
              label="Name"
              mono
              value={name}
              onChange={setName}
              placeholder="business-hours"
              fault={faultOf('name')}
            />
          )}
          <TextField
            label="Time zone"
            value={timeZone}
            onChange={setTimeZone}
            hint="Whose days and clocks are meant."
            fault={faultOf('timeZone')}
          />
        </div>
        <EntriesField
          label="Nothing fires on or at"
          hint="One a line: 2026-12-25, 2026-12-24/2027-01-01, --12-25 for every year, SAT-SUN, 12:00-13:00, FRI 15:00-24:00."
          value={exclude}
          onChange={setExclude}
          fault={faultOf('exclude')}
        />
        <EntriesField
          label="It fires only on or at"
          hint="Empty: at all other times. For business hours: MON-FRI 09:00-17:00."
          value={allow}
          onChange={setAllow}
          fault={faultOf('allow')}
        />
        {error !== null && !FIELDS.includes(wrong) && <Failure error={error} />}
      </form>
    </Dialog>
  )
}

function linesOf(text: string): string[] {
  const lines = text.split('\n').map((line) => line.trim())
  return lines.filter((line) => line !== '')
}

type EntriesFieldProps = {
  readonly label: string
  readonly hint: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly fault: string | null
}

function EntriesField({ label, hint, value, onChange, fault }: EntriesFieldProps) {
  return (
    <Field label={label} hint={hint} fault={fault}>
      {(wiring) => (
        <textarea
          {...wiring}
          className="textarea mono"
          rows={5}
          value={value}
          spellCheck={false}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}
