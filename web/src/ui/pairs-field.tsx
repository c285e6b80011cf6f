// Names with values, such as headers: one row each, an empty one to go on with.

import { Button } from './button.tsx'

export type Pair = { readonly key: number; readonly name: string; readonly value: string }

let lastKey = 0
export function newPair(name = '', value = ''): Pair {
  return { key: ++lastKey, name, value }
}

type PairsFieldProps = {
  readonly legend: string
  readonly noun: string
  readonly pairs: readonly Pair[]
  readonly onChange: (pairs: readonly Pair[]) => void
}

export function PairsField({ legend, noun, pairs, onChange }: PairsFieldProps) {
  const change = (key: number, changes: Partial<Pair>) =>
    onChange(pairs.map((pair) => (pair.key === key ? { ...pair, ...changes } : pair)))
  return (
    <fieldset className="field">
      <legend className="label">{legend}</legend>
      <div className="pairs">
        {pairs.map(({ key, name, value }, index) => (
          <div className="pair" key={key}>
            <input
              className="input mono"
              aria-label={`${noun} ${index + 1} name`}
              placeholder="Name"
              value={name}
              spellCheck={false}
              onChange={(event) => change(key, { name: event.target.value })}
            />
            <input
              className="input mono"
              aria-label={`${noun} ${index + 1} value`}
              placeholder="Value"
              value={value}
              spellCheck={false}
              onChange={(event) => change(key, { value: event.target.value })}
            />
            <Button
              kind="quiet"
              icon="cross"
              aria-label={`Remove ${noun} ${index + 1}`}
              onClick={() => onChange(pairs.filter((pair) => pair.key !== key))}
            />
          </div>
        ))}
      </div>
      <div>
        <Button small icon="plus" onClick={() => onChange([...pairs, newPair()])}>
          Add {noun}
        </Button>
      </div>
    </fieldset>
  )
}

/** Rows without a name are left out; undefined when none remain. */
export function pairsRecord(pairs: readonly Pair[]): Record<string, string> | undefined {
  const named = pairs.filter(({ name }) => name.trim() !== '').map(({ name, value }) => [name.trim(), value] as const)
  return named.length === 0 ? undefined : Object.fromEntries(named)
}
