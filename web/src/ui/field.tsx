// A labelled field with its hint and its fault, tied together for those who hear the page.

import { useId } from 'react'
import type { ReactNode } from 'react'

type FieldProps = {
  readonly label: string
  readonly hint?: ReactNode
  readonly fault?: string | null | undefined
  readonly children: (wiring: Wiring) => ReactNode
}

/** To be spread on the input. */
export type Wiring = { readonly id: string; readonly 'aria-describedby'?: string; readonly 'aria-invalid'?: true }

export function Field({ label, hint, fault, children }: FieldProps) {
  const id = useId()
  const hasFault = fault !== undefined && fault !== null
  const noteId = `${id}-note`
  const isNoted = hasFault || hint !== undefined
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        ...(isNoted ? { 'aria-describedby': noteId } : {}),
        ...(hasFault ? { 'aria-invalid': true } : {}),
      })}
      {isNoted && (
        <div id={noteId} className={hasFault ? 'fault' : 'hint'}>
          {hasFault ? fault : hint}
        </div>
      )}
    </div>
  )
}

type TextFieldProps = Omit<FieldProps, 'children'> & {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly placeholder?: string
  readonly type?: string
  readonly mono?: boolean
  readonly inputMode?: 'numeric' | 'decimal' | 'url'
  readonly required?: boolean
  readonly list?: string
}

export function TextField({
  label,
  hint,
  fault,
  value,
  onChange,
  mono = false,
  type = 'text',
  ...input
}: TextFieldProps) {
  return (
    <Field label={label} hint={hint} fault={fault}>
      {(wiring) => (
        <input
          {...wiring}
          {...input}
          type={type}
          className={mono ? 'input mono' : 'input'}
          value={value}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}

type SelectFieldProps<Value extends string> = Omit<FieldProps, 'children'> & {
  readonly value: Value
  readonly options: readonly (readonly [Value, string])[]
  readonly onChange: (value: Value) => void
}

export function SelectField<Value extends string>({
  label,
  hint,
  fault,
  value,
  options,
  onChange,
}: SelectFieldProps<Value>) {
  return (
    <Field label={label} hint={hint} fault={fault}>
      {(wiring) => (
        <select
          {...wiring}
          className="select"
          value={value}
          onChange={(event) => onChange(event.target.value as Value)}
        >
          {options.map(([one, text]) => (
            <option key={one} value={one}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}
