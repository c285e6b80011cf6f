// What most schedules leave as it is: where clocks change, when it begins and ends, how firings are spread, what was missed, and what
// comes while the last one is not over.

import { InstantField } from './instant-field.tsx'
import type { RulesForm } from './rules-form.ts'
import { SelectField, TextField } from '../ui/field.tsx'

type RulesProps = {
  readonly form: RulesForm
  readonly change: (changes: Partial<RulesForm>) => void
  readonly faultOf: (field: string) => string | null
}

export function RulesFields({ form, change, faultOf }: RulesProps) {
  return (
    <div className="fields">
      <InstantField
        label="Not before"
        value={form.startAt}
        onChange={(startAt) => change({ startAt })}
        fault={faultOf('startAt')}
        hint="Nothing fires before."
      />
      <InstantField
        label="Not after"
        value={form.endAt}
        onChange={(endAt) => change({ endAt })}
        fault={faultOf('endAt')}
        hint="Nothing fires after."
      />
      <TextField
        label="Most firings"
        value={form.maxFirings}
        onChange={(maxFirings) => change({ maxFirings })}
        inputMode="numeric"
        placeholder="no limit"
        fault={faultOf('maxFirings')}
      />
      <TextField
        label="Spread"
        value={form.spread}
        onChange={(spread) => change({ spread })}
        placeholder="5m"
        hint="Up to so much later, by the timer’s id."
        fault={faultOf('spread')}
      />
      <SelectField
        label="Times that clocks skip"
        value={form.gap}
        options={[
          ['', 'Shift them (default)'],
          ['shift', 'Shift them'],
          ['skip', 'Skip them'],
        ]}
        onChange={(gap) => change({ gap })}
      />
      <SelectField
        label="Times that clocks show twice"
        value={form.twice}
        options={[
          ['', 'As the schedule has it'],
          ['first', 'The first time'],
          ['second', 'The second time'],
          ['both', 'Both times'],
        ]}
        onChange={(twice) => change({ twice })}
      />
      <SelectField
        label="Missed while the service was down"
        value={form.catchUp}
        options={[
          ['all', 'Deliver every one'],
          ['one', 'Deliver one for all'],
          ['none', 'Deliver none'],
          ['max', 'Deliver the last so many'],
        ]}
        onChange={(catchUp) => change({ catchUp })}
      />
      {form.catchUp === 'max' && (
        <TextField
          label="How many of them"
          value={form.catchUpMax}
          onChange={(catchUpMax) => change({ catchUpMax })}
          inputMode="numeric"
          fault={faultOf('catchUp')}
        />
      )}
      <TextField
        label="Too late after"
        value={form.maxLateness}
        onChange={(maxLateness) => change({ maxLateness })}
        placeholder="never"
        hint="1h, say: what would begin later is missed."
        fault={faultOf('maxLateness')}
      />
      <SelectField
        label="When the last one is not over"
        value={form.overlap}
        options={[
          ['', 'The next one follows it'],
          ['skip', 'Skip the next one'],
          ['queue', 'Let one wait'],
          ['allow', 'Deliver it beside the last'],
        ]}
        onChange={(overlap) => change({ overlap })}
      />
    </div>
  )
}
