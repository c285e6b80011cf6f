// A date and time on the viewer's clocks.

import { Field } from '../ui/field.tsx'

type InstantFieldProps = {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly fault: string | null
  readonly hint: string
}

export function InstantField({ label, value, onChange, fault, hint }: InstantFieldProps) {
  return (
    <Field label={label} fault={fault} hint={hint}>
      {(wiring) => (
        <input
          {...wiring}
          className="input num"
          type="datetime-local"
          step="any"
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}
