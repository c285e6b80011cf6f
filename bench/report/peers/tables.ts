// The tables, for a terminal and for the documentation.

import type { Comparison, Row, SystemFigure } from './results.ts'

export function text({ rows, parts }: Comparison): string {
  const lines: string[] = []
  for (const row of rows) {
    lines.push('', `${row.what} (${row.better} is better)`)
    for (const system of row.systems) {
      const { name, value, min, max } = system
      const notes = notesOf(system)
      const spread = min === max ? '' : `  ${figure(min)} to ${figure(max)}`
      lines.push(
        `  ${name.padEnd(30)}${`${figure(value)} ${row.unit}`.padStart(16)}${spread}${notes === '' ? '' : `  (${notes})`}`,
      )
    }
  }
  lines.push('', ...parts.map(({ title, seconds }) => `${title}: ${seconds} s`))
  return lines.join('\n')
}

/** A table per row. */
export function markdown(rows: readonly Row[]): string {
  const tables = rows.map(({ what, unit, better, systems }) => {
    const lines = systems.map((system) => {
      const { name, isDuetime, value, min, max, rounds } = system
      const shown = isDuetime ? `**${name}**` : name
      const spread = rounds.length === 1 ? 'one round' : `${figure(min)} to ${figure(max)}`
      return `| ${shown} | ${figure(value)} | ${spread} | ${notesOf(system)} |`
    })
    return [
      `### ${capital(what)}`,
      '',
      `| system (${better} is better) | ${unit} | spread | |`,
      '|---|---:|---|---|',
      ...lines,
    ].join('\n')
  })
  return tables.join('\n\n')
}

export function partsTable({ parts }: Comparison): string {
  if (parts.length === 0) return ''
  const lines = parts.map(
    ({ title, seconds, foreignLoad }) =>
      `| ${title} | ${(seconds / 60).toFixed(1)} min | ${Math.round(foreignLoad * 100)} % |`,
  )
  const total = parts.reduce((sum, { seconds }) => sum + seconds, 0)
  return [
    '| part of the run | took | other programs, at most |',
    '|---|---:|---:|',
    ...lines,
    `| all | ${(total / 60).toFixed(1)} min | |`,
  ].join('\n')
}

function notesOf({ less, remark }: SystemFigure): string {
  return [less, remark].filter((note) => note !== null).join('; ')
}

export function figure(value: number): string {
  if (value >= 100 || Number.isInteger(value)) return Math.round(value).toLocaleString('en-US')
  return value.toFixed(value >= 10 ? 1 : 2)
}

export function capital(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}
