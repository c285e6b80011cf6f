// The result for a terminal.

import { figureText, ratioText, targetText } from './figures.ts'
import type { Measurement } from './measurement.ts'

const HEADINGS = ['', 'measured', 'raw limit', 'ratio', 'target', ''] as const
const GAP = '   '

export function table(measurements: readonly Measurement[]): string {
  const rows = measurements.map(cells)
  const widths = HEADINGS.map((heading, column) => Math.max(heading.length, ...rows.map((row) => row[column]!.length)))
  // Names to the left, numbers to the right, so that digits stand under digits.
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) =>
        column === 0 || column > 3 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!),
      )
      .join(GAP)
      .trimEnd()
  const lines: string[] = []
  for (const [index, row] of rows.entries()) {
    const { scenario } = measurements[index]!
    if (scenario !== measurements[index - 1]?.scenario) lines.push('', scenario)
    lines.push(`  ${line(row)}`)
  }
  return [`  ${line(HEADINGS)}`, ...lines].join('\n')
}

function cells(one: Measurement): string[] {
  return [
    one.what,
    figureText(one.value, one.unit),
    one.raw === null ? '' : figureText(one.raw.value, one.unit),
    ratioText(one),
    targetText(one.target, one.unit),
    one.met === null ? '' : one.met ? '✓' : '✗ missed',
  ]
}
