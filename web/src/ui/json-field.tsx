// JSON as people type it: checked while they type, with the place of the mistake, and put in order on request.

import { bytes } from '../format/numbers.ts'
import { Button } from './button.tsx'
import { Field } from './field.tsx'

/** What the text says. Empty text says nothing, which is not an error. */
export type JsonReading =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly message: string }

/** As a form shows it; nothing for nothing. */
export function jsonText(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value, null, 2)
}

export function readJson(text: string): JsonReading {
  if (text.trim() === '') return { ok: true, value: undefined }
  try {
    return { ok: true, value: JSON.parse(text) as unknown }
  } catch (error) {
    return { ok: false, message: `Not JSON: ${placeOf(text, error instanceof Error ? error.message : String(error))}` }
  }
}

/** Labels must be flat, and an object. */
export function readMetadata(text: string): JsonReading {
  const reading = readJson(text)
  if (!reading.ok || reading.value === undefined) return reading
  const { value } = reading
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { ok: false, message: 'Metadata must be an object, such as {"team": "billing"}' }
  const nested = Object.entries(value).find(([, one]) => typeof one === 'object' && one !== null)
  return nested === undefined
    ? reading
    : { ok: false, message: `“${nested[0]}” must be a string, number, boolean or null` }
}

/** Engines tell the position in words of their own; line and column are what one can look for. */
function placeOf(text: string, message: string): string {
  const position =
    /position (\d+)/.exec(message)?.[1] ?? (/end of (?:JSON|data)/.test(message) ? String(text.length) : undefined)
  const short = message
    .replace(/^JSON\.parse: /, '')
    .replace(/ in JSON at position \d+.*$/, '')
    .replace(/,? ?"[^]*" is not valid JSON$/, '')
  if (position === undefined) return short
  const before = text.slice(0, Number(position))
  const line = before.split('\n').length
  return `${short} at line ${line}, column ${before.length - before.lastIndexOf('\n')}`
}

type JsonFieldProps = {
  readonly label: string
  readonly text: string
  readonly onChange: (text: string) => void
  readonly read?: (text: string) => JsonReading
  readonly hint?: string
  readonly rows?: number
  readonly fault?: string | null
  readonly placeholder?: string
}

export function JsonField({
  label,
  text,
  onChange,
  read = readJson,
  hint = 'Any JSON, or nothing.',
  rows = 7,
  fault = null,
  placeholder,
}: JsonFieldProps) {
  const reading = read(text)
  const tidy = () => {
    if (reading.ok && reading.value !== undefined) onChange(JSON.stringify(reading.value, null, 2))
  }
  return (
    <div className="json-field">
      <Field
        label={label}
        hint={text.trim() === '' ? hint : `Valid JSON, ${bytes(new Blob([text]).size)}`}
        fault={reading.ok ? fault : reading.message}
      >
        {(wiring) => (
          <textarea
            {...wiring}
            className="textarea"
            rows={rows}
            value={text}
            spellCheck={false}
            placeholder={placeholder}
            onChange={(event) => onChange(event.target.value)}
          />
        )}
      </Field>
      <Button
        kind="quiet"
        small
        onClick={tidy}
        disabled={!reading.ok || text.trim() === ''}
        aria-label={`Format ${label}`}
      >
        Format
      </Button>
    </div>
  )
}
