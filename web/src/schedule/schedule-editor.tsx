// Choosing when: an instant, a while from now, or again and again, with what it will come to beside it.

import { useId } from 'react'
import { serverClock } from '../api/server-clock.ts'
import { UNITS } from '../format/schedules.ts'
import type { Amount, Unit } from '../format/schedules.ts'
import { VIEWER_ZONE } from '../format/times.ts'
import { Field, SelectField, TextField } from '../ui/field.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { InstantField } from './instant-field.tsx'
import { RulesFields } from './rules-fields.tsx'
import { MODES, QUICK_AMOUNTS, quickInstants, wallClock } from './schedule-form.ts'
import type { ScheduleForm } from './schedule-form.ts'

type EditorProps = {
  readonly form: ScheduleForm
  readonly onChange: (form: ScheduleForm) => void
  readonly fault: string | null
  /** What the service said about a field. */
  readonly faultOf?: (field: string) => string | null
}

export function ScheduleEditor({ form, onChange, fault, faultOf = () => null }: EditorProps) {
  const panelId = useId()
  const change = (changes: Partial<ScheduleForm>) => onChange({ ...form, ...changes })
  return (
    <div className="stack">
      <Tabs
        label="Kind of schedule"
        value={form.mode}
        options={MODES}
        panelId={panelId}
        onChange={(mode) => change({ mode })}
      />
      <div role="tabpanel" id={panelId} aria-labelledby={`${panelId}-${form.mode}`} className="stack">
        {form.mode === 'at' && <AtFields form={form} change={change} fault={fault} />}
        {form.mode === 'after' && <AfterFields form={form} change={change} fault={fault} />}
        {form.mode === 'cycle' && <CycleFields form={form} change={change} fault={fault} />}
        {form.mode === 'text' && <TextFields form={form} change={change} fault={fault} />}
      </div>
      {(form.mode === 'cycle' || form.mode === 'text') && (
        <details className="more">
          <summary>More about the schedule</summary>
          <RulesFields
            form={form.rules}
            change={(rules) => change({ rules: { ...form.rules, ...rules } })}
            faultOf={faultOf}
          />
        </details>
      )}
    </div>
  )
}

type ModeProps = {
  readonly form: ScheduleForm
  readonly change: (changes: Partial<ScheduleForm>) => void
  readonly fault: string | null
}

function AtFields({ form, change, fault }: ModeProps) {
  return (
    <>
      <InstantField
        label="Date and time"
        value={form.at}
        onChange={(at) => change({ at })}
        fault={fault}
        hint={`On the clocks of ${VIEWER_ZONE}.`}
      />
      <div className="chips" role="group" aria-label="Suggestions">
        {quickInstants(serverClock.now()).map(([name, at]) => (
          <button key={name} type="button" className="chip" onClick={() => change({ at: wallClock(at) })}>
            {name}
          </button>
        ))}
      </div>
    </>
  )
}

function AfterFields({ form, change, fault }: ModeProps) {
  return (
    <>
      <AmountField label="After" amount={form.after} onChange={(after) => change({ after })} fault={fault} />
      <div className="chips" role="group" aria-label="Suggestions">
        {QUICK_AMOUNTS.map(([name, after]) => (
          <button key={name} type="button" className="chip" onClick={() => change({ after })}>
            {name}
          </button>
        ))}
      </div>
    </>
  )
}

function CycleFields({ form, change, fault }: ModeProps) {
  return (
    <>
      <AmountField label="Every" amount={form.every} onChange={(every) => change({ every })} fault={fault} />
      <div className="fields">
        <TextField
          label="How many times"
          value={form.times}
          onChange={(times) => change({ times })}
          placeholder="for ever"
          inputMode="numeric"
          hint="1 to 1000; empty is for ever."
        />
        <InstantField
          label="First firing"
          value={form.start}
          onChange={(start) => change({ start })}
          fault={null}
          hint="Empty: one interval from now."
        />
        <ZoneField form={form} change={change} />
      </div>
    </>
  )
}

function TextFields({ form, change, fault }: ModeProps) {
  return (
    <div className="fields">
      <TextField
        label="Schedule"
        mono
        value={form.text}
        onChange={(text) => change({ text })}
        placeholder="0 9 * * MON-FRI"
        fault={fault}
        hint="Cron (0 9 * * MON-FRI), every weekday at 9:00, a duration (PT10M), a cycle (R3/PT10M), a rule (RRULE:FREQ=…) or an instant."
      />
      <ZoneField form={form} change={change} />
    </div>
  )
}

function ZoneField({ form, change }: Omit<ModeProps, 'fault'>) {
  const zones = [...new Set([VIEWER_ZONE, 'UTC', form.zone])]
  return (
    <SelectField
      label="Calendar of"
      value={form.zone}
      options={zones.map((zone) => [zone, zone] as const)}
      onChange={(zone) => change({ zone })}
      hint="Days and months follow its clocks."
    />
  )
}

type AmountFieldProps = {
  readonly label: string
  readonly amount: Amount
  readonly onChange: (amount: Amount) => void
  readonly fault: string | null
}

function AmountField({ label, amount, onChange, fault }: AmountFieldProps) {
  return (
    <Field label={label} fault={fault}>
      {(wiring) => (
        <div className="amount">
          <input
            {...wiring}
            className="input num"
            inputMode="decimal"
            value={amount.value}
            onChange={(event) => onChange({ ...amount, value: event.target.value })}
          />
          <select
            className="select"
            aria-label={`${label}: unit`}
            value={amount.unit}
            onChange={(event) => onChange({ ...amount, unit: event.target.value as Unit })}
          >
            {UNITS.map((unit) => (
              <option key={unit} value={unit}>
                {unit}s
              </option>
            ))}
          </select>
        </div>
      )}
    </Field>
  )
}
