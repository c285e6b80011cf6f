// `duetime list`: the timers of a namespace, soonest first.

import type { Duetime, ListQuery, PageQuery, TimerField } from '@duetime/client'
import { Option } from 'commander'
import type { Command } from 'commander'
import { PAGE_TIMERS_MAX } from '../../core/limits.ts'
import { addConnectionOptions, connectionOf, withClient } from '../command/connection.ts'
import type { ConnectionFlags } from '../command/connection.ts'
import { Format, machineText, outputOption, positiveInteger } from '../output/format.ts'
import { table } from '../output/table.ts'
import { counted } from '../transfer/progress-bar.ts'
import type { Terminal } from '../command/terminal.ts'
import { addFilterOptions, filterOf } from './filter-options.ts'
import type { FilterFlags } from './filter-options.ts'
import { ROW_FIELDS, TIMER_COLUMNS, timerRow } from './timer-text.ts'
import type { RowTimer } from './timer-text.ts'

type ListFlags = FilterFlags &
  ConnectionFlags & {
    readonly limit: number
    readonly all?: true
    readonly search?: string
    readonly sort?: 'due' | 'created'
    readonly desc?: true
    readonly output: Format
  }
type Query = Omit<PageQuery, 'cursor' | 'limit' | 'offset'>

const LIMIT_DEFAULT = 50

export function addListCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('list')
    .alias('ls')
    .description('list timers: live ones first, soonest first, then finished ones')
    .option('--limit <number>', 'so many at most', positiveInteger, LIMIT_DEFAULT)
    .option('--all', 'all of them, however many')
    .option('--search <text>', 'whose id begins with this')
    .addOption(
      new Option('--sort <by>', 'finished ones among the others, by when they are due or were created').choices([
        'due',
        'created',
      ]),
    )
    .option('--desc', 'the last one first')
    .addOption(outputOption())
  addConnectionOptions(addFilterOptions(command)).addHelpText('after', HELP)
  command.action(async (flags: ListFlags) => {
    const connection = connectionOf(flags, terminal.environment)
    const query: Query = {
      ...filterOf(flags, terminal),
      ...(flags.search !== undefined && { search: flags.search }),
      ...orderOf(flags),
    }
    const max = flags.all === true ? Infinity : flags.limit
    await withClient(connection, (client) =>
      flags.output === Format.ndjson
        ? stream(client, query, { max, terminal })
        : printWhole(client, query, { max, terminal, format: flags.output }),
    )
  })
}

type Reading = { readonly max: number; readonly terminal: Terminal }

/** Line by line as the pages come, so that a list of any length takes no memory. */
async function stream(client: Duetime, query: Query, { max, terminal }: Reading): Promise<void> {
  for await (const timer of upTo(client, query, max)) terminal.out(await machineText(timer, Format.ndjson))
}

async function printWhole(
  client: Duetime,
  query: Query,
  { max, terminal, format }: Reading & { readonly format: Format },
): Promise<void> {
  if (format !== Format.table)
    return terminal.out(await machineText(await Array.fromAsync(upTo(client, query, max)), format))
  // One more than is shown tells whether there are more.
  const found = await Array.fromAsync(upTo(client, { ...query, fields: ROW_FIELDS }, max + 1))
  const timers = found.slice(0, Math.min(max, found.length))
  terminal.out(listText(timers, terminal))
  if (found.length > timers.length)
    terminal.err(`These are the first ${counted(timers.length)}: --limit shows more, --all shows all.\n`)
}

async function* upTo<Field extends TimerField>(client: Duetime, query: ListQuery<Field>, max: number) {
  let read = 0
  for await (const timer of client.list<unknown, Field>({ ...query, limit: Math.min(max, PAGE_TIMERS_MAX) })) {
    yield timer
    if (++read >= max) return
  }
}

function orderOf({ sort, desc }: ListFlags): Query {
  if (sort === undefined && desc === undefined) return {}
  return { sort: sort === 'created' ? 'createdAt' : 'dueAt', order: desc === true ? 'desc' : 'asc' }
}

/** Columns in which no timer has anything are left out. */
function listText(timers: readonly RowTimer[], terminal: Terminal): string {
  if (timers.length === 0) return 'No timers.\n'
  const isOneNamespace = timers.every(({ namespace }) => namespace === timers[0]!.namespace)
  const rows = timers.map((timer) => timerRow(timer, isOneNamespace, terminal))
  const shown = TIMER_COLUMNS.map((_, index) => rows.some((row) => row[index] !== '' && row[index] !== '0'))
  return table(
    TIMER_COLUMNS.filter((_, index) => shown[index]),
    rows.map((row) => row.filter((_, index) => shown[index])),
    terminal,
  )
}

const HELP = `
Examples:
  duetime list
  duetime list --status failed,executing -n orders
  duetime list --due-before "tomorrow 0:00" --metadata team=billing
  duetime list -n '*' --sort created --desc --limit 10
  duetime list --all -o ndjson | jq -r .id
`
