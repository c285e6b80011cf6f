// How often a delivery is tried, and how long it may take.

import { TextField } from '../ui/field.tsx'
import type { RetryForm } from './callback-form.ts'

type RetryFieldsProps = {
  readonly form: RetryForm
  readonly change: (changes: Partial<RetryForm>) => void
  readonly faultOf: (field: string) => string | null
}

export function RetryFields({ form, change, faultOf }: RetryFieldsProps) {
  return (
    <>
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
    </>
  )
}
