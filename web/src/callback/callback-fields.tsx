// Where a timer fires: a URL or a NATS subject, and the headers that go with it.

import { TextField } from '../ui/field.tsx'
import { PairsField } from '../ui/pairs-field.tsx'
import { Choice } from '../ui/tabs.tsx'
import type { CallbackForm } from './callback-form.ts'

const KINDS = [
  ['http', 'HTTP'],
  ['nats', 'NATS'],
] as const

type KindProps = { readonly form: CallbackForm; readonly change: (changes: Partial<CallbackForm>) => void }

export function CallbackKind({ form, change }: KindProps) {
  return <Choice label="Kind of callback" value={form.type} options={KINDS} onChange={(type) => change({ type })} />
}

type CallbackFieldsProps = KindProps & {
  readonly fault: string | null
  readonly faultOf: (field: string) => string | null
}

export function CallbackFields({ form, change, fault, faultOf }: CallbackFieldsProps) {
  return (
    <>
      {form.type === 'http' ? (
        <TextField
          label="Callback URL"
          value={form.url}
          onChange={(url) => change({ url })}
          placeholder="https://example.com/hooks/timer"
          inputMode="url"
          mono
          hint="Gets a POST when the time has come."
          fault={fault ?? faultOf('callback.url') ?? faultOf('callback')}
        />
      ) : (
        <>
          <TextField
            label="NATS subject"
            value={form.topic}
            onChange={(topic) => change({ topic })}
            placeholder="orders.reminders"
            mono
            hint="The payload is published there."
            fault={fault ?? faultOf('callback.topic') ?? faultOf('callback')}
          />
          <TextField
            label="Key"
            value={form.key}
            onChange={(key) => change({ key })}
            placeholder="order-1001"
            mono
            hint="Optional. Published to the subject, a dot, and this."
            fault={faultOf('callback.key')}
          />
        </>
      )}
      <PairsField legend="Headers" noun="header" pairs={form.headers} onChange={(headers) => change({ headers })} />
    </>
  )
}
