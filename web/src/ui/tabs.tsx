// One of a few, side by side, with the arrow keys as well.

import { useRef } from 'react'
import type { KeyboardEvent } from 'react'

type TabsProps<Name extends string> = {
  readonly label: string
  readonly value: Name
  readonly options: readonly (readonly [Name, string])[]
  readonly onChange: (value: Name) => void
  /** The id of the panel that the chosen tab shows. */
  readonly panelId: string
}

export function Tabs<Name extends string>({ label, value, options, onChange, panelId }: TabsProps<Name>) {
  const list = useRef<HTMLDivElement>(null)
  const step = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (by === 0) return
    event.preventDefault()
    const index = (options.findIndex(([name]) => name === value) + by + options.length) % options.length
    onChange(options[index]![0])
    list.current?.querySelectorAll('button')[index]?.focus()
  }
  return (
    <div className="segments" role="tablist" aria-label={label} ref={list} onKeyDown={step}>
      {options.map(([name, text]) => (
        <button
          key={name}
          type="button"
          role="tab"
          id={`${panelId}-${name}`}
          aria-selected={name === value}
          aria-controls={panelId}
          tabIndex={name === value ? 0 : -1}
          onClick={() => onChange(name)}
        >
          {text}
        </button>
      ))}
    </div>
  )
}

type ChoiceProps<Name extends string> = Omit<TabsProps<Name>, 'panelId'>

/** The same look for a choice that changes what is shown, without panels. */
export function Choice<Name extends string>({ label, value, options, onChange }: ChoiceProps<Name>) {
  return (
    <div className="segments" role="group" aria-label={label}>
      {options.map(([name, text]) => (
        <button key={name} type="button" aria-pressed={name === value} onClick={() => onChange(name)}>
          {text}
        </button>
      ))}
    </div>
  )
}
