// What most timers leave as it is: timeout, retries, labels, and what happens when the id is taken.

import type { OnConflict } from '../../api/timer.ts'
import { RetryFields } from '../../callback/retry-fields.tsx'
import { SelectField } from '../../ui/field.tsx'
import { JsonField, readMetadata } from '../../ui/json-field.tsx'
import type { NewForm } from './new-timer.ts'

const CONFLICTS: readonly (readonly [OnConflict, string])[] = [
  ['reject', 'Refuse: leave the stored timer'],
  ['keep', 'Keep: show the stored timer'],
  ['replace', 'Replace the stored timer'],
]

type AdvancedProps = {
  readonly form: NewForm
  readonly change: (changes: Partial<NewForm>) => void
  readonly faultOf: (field: string) => string | null
}

export function AdvancedFields({ form, change, faultOf }: AdvancedProps) {
  return (
    <div className="stack">
      <div className="fields">
        <RetryFields form={form} change={change} faultOf={faultOf} />
        <SelectField
          label="When the id is taken"
          value={form.onConflict}
          options={CONFLICTS}
          onChange={(onConflict) => change({ onConflict })}
        />
      </div>
      <JsonField
        label="Metadata"
        text={form.metadata}
        onChange={(metadata) => change({ metadata })}
        read={readMetadata}
        rows={3}
        hint="Labels to find timers by."
        placeholder={'{"team": "billing"}'}
        fault={faultOf('metadata')}
      />
    </div>
  )
}
