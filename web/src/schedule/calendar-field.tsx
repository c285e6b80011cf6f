// Which calendar a timer follows, of those that its namespace has. Where there is none, there is nothing to choose.

import { duetime } from '../api/client.ts'
import { useResource } from '../state/resource.ts'
import { SelectField } from '../ui/field.tsx'
import type { ScheduleForm } from './schedule-form.ts'

type CalendarFieldProps = {
  readonly namespace: string
  readonly form: ScheduleForm
  readonly onChange: (form: ScheduleForm) => void
  readonly isRepeated: boolean
}

export function CalendarField({ namespace, form, onChange, isRepeated }: CalendarFieldProps) {
  const asked = namespace.trim() === '' ? 'default' : namespace.trim()
  const { data = [] } = useResource(`calendars ${asked}`, (signal) =>
    duetime.calendars.list({ namespace: asked, signal }),
  )
  const names = [...new Set([...data.map(({ name }) => name), ...(form.calendar === '' ? [] : [form.calendar])])]
  if (names.length === 0) return null
  return (
    <div className="fields">
      <SelectField
        label="Calendar"
        value={form.calendar}
        options={[['', 'None'], ...names.map((name) => [name, name] as const)]}
        onChange={(calendar) => onChange({ ...form, calendar })}
        hint="Nothing fires when it says so."
      />
      {form.calendar !== '' && isRepeated && (
        <SelectField
          label="What it excludes"
          value={form.onExcluded}
          options={[
            ['skip', 'is skipped'],
            ['move', 'moves to the next allowed time'],
          ]}
          onChange={(onExcluded) => onChange({ ...form, onExcluded })}
        />
      )}
    </div>
  )
}
