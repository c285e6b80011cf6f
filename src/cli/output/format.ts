// The same answer for people and for programs: --output says which.

import { InvalidArgumentError, Option } from 'commander'
import type { Terminal } from '../command/terminal.ts'

export const Format = { table: 'table', json: 'json', ndjson: 'ndjson', yaml: 'yaml' } as const
export type Format = (typeof Format)[keyof typeof Format]

export function outputOption(): Option {
  return new Option('-o, --output <format>', 'table for people; json, ndjson (one value a line) or yaml for programs')
    .choices(Object.values(Format))
    .default(Format.table)
}

export type Answer = {
  /** What a program gets, as the service answered it. */
  readonly value: unknown
  readonly text: () => string
}

export async function print({ value, text }: Answer, format: Format, { out }: Pick<Terminal, 'out'>): Promise<void> {
  out(format === Format.table ? text() : await machineText(value, format))
}

export async function machineText(value: unknown, format: Exclude<Format, 'table'>): Promise<string> {
  switch (format) {
    case 'json':
      return `${JSON.stringify(value, null, 2)}\n`
    case 'ndjson':
      return [value]
        .flat()
        .map((one) => `${JSON.stringify(one)}\n`)
        .join('')
    case 'yaml': {
      const { stringify } = await import('yaml')
      return stringify(value, { lineWidth: 0 })
    }
  }
}

export function gathered(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value]
}

export function positiveInteger(value: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new InvalidArgumentError('It must be a whole number of 1 or more.')
  return Number(value)
}
