// The numbers behind a chart, for whoever prefers to read them. Only built when opened.

import { useState } from 'react'

type AsTableProps = {
  readonly label: string
  readonly columns: readonly [string, string]
  readonly rows: () => readonly (readonly [string, string])[]
}

export function AsTable({ label, columns, rows }: AsTableProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className="as-table" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        Show as table<span className="hidden-visually">: {label}</span>
      </summary>
      {isOpen && (
        <div className="as-table-scroll" tabIndex={0} role="region" aria-label={label}>
          <table>
            <thead>
              <tr>
                <th>{columns[0]}</th>
                <th className="right">{columns[1]}</th>
              </tr>
            </thead>
            <tbody>
              {rows().map(([name, value]) => (
                <tr key={name}>
                  <td className="num">{name}</td>
                  <td className="num right">{value}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  )
}
