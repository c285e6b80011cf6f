// What most timers leave as it is: timeout, retries, labels, and what happens when the id is taken.

import type { OnConflict } from '../../api/timer.ts'
import { SelectField, TextField } from '../../ui/field.tsx'
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
  readonly isCycle: boolean
  readonly faultOf: (field: string) => string | null
}

export function AdvancedFields({ form, change, isCycle, faultOf }: AdvancedProps) {
  return (
    <div className="stack">
      <div className="fields">
        <TextField
          label="Retries"
          value={form.maxRetries}
          onChange={(maxRetries) => change({ maxRetries })}
          placeholder="3"
          inputMode="numeric"
          hint="After the first attempt."
          fault={faultOf('retryPolicy.maxRetries')}
        />
        <TextField
          label="First wait"
          value={form.initialInterval}
          onChange={(initialInterval) => change({ initialInterval })}
          placeholder="30s"
          fault={faultOf('retryPolicy.initialInterval')}
        />
        <TextField
          label="Each wait times"
          value={form.multiplier}
          onChange={(multiplier) => change({ multiplier })}
          placeholder="2"
          inputMode="decimal"
          fault={faultOf('retryPolicy.backoffMultiplier')}
        />
        <TextField
          label="Longest wait"
          value={form.maxInterval}
          onChange={(maxInterval) => change({ maxInterval })}
          placeholder="10m"
          fault={faultOf('retryPolicy.maxInterval')}
        />
        <TextField
          label="Timeout of a delivery"
          value={form.timeout}
          onChange={(timeout) => change({ timeout })}
          placeholder="30s"
          fault={faultOf('callbackTimeout')}
        />
        <SelectField
          label="When the id is taken"
          value={form.onConflict}
          options={CONFLICTS}
          onChange={(onConflict) => change({ onConflict })}
        />
        {isCycle && (
          <SelectField
            label="Missed while the service was down"
            value={form.catchUp}
            options={[
              ['all', 'Deliver every one'],
              ['one', 'Deliver one for all'],
            ]}
            onChange={(catchUp) => change({ catchUp })}
          />
        )}
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
