// One line per message for someone who watches a terminal:
// 14:03:07.512 info  engine  shard claimed  shard=0 epoch=7

import type { DestinationStream } from 'pino'

export function prettyStream(output: DestinationStream): DestinationStream {
  return { write: (line) => output.write(prettyLine(line)) }
}

type Line = {
  readonly time: string
  readonly level: string
  readonly part?: string
  readonly msg?: string
  readonly err?: ErrorFields
}
type ErrorFields = { readonly stack?: string; readonly message?: string }

function prettyLine(line: string): string {
  const { time, level, part, msg = '', err, ...fields } = JSON.parse(line) as Line
  const data = Object.entries(fields).map(([name, value]) => `${name}=${fieldText(value)}`)
  const head = [clockTime(time), level.padEnd(5), ...(part === undefined ? [] : [`${part} `]), msg]
  return `${[...head, ...(data.length > 0 ? ['', ...data] : [])].join(' ')}\n${err === undefined ? '' : errorText(err)}`
}

/** The date is on the reader's wall. Times are UTC, as everywhere else in the service. */
function clockTime(time: string): string {
  return time.slice(11, 23)
}

function fieldText(value: unknown): string {
  return typeof value === 'string' && /^[^\s="]+$/.test(value) ? value : JSON.stringify(value)
}

function errorText({ stack, message = '' }: ErrorFields): string {
  return (stack ?? message).replaceAll(/^/gm, '    ') + '\n'
}
