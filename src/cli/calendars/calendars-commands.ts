// `duetime calendars …`: named lists of days and times when nothing fires. Timers name them with --calendar.

import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import type { Calendar } from '@duetime/client'
import type { Command } from 'commander'
import { addConnectionOptions, connectionOf, withClient } from '../command/connection.ts'
import type { ConnectionFlags } from '../command/connection.ts'
import type { Terminal } from '../command/terminal.ts'
import { UsageError } from '../command/usage-error.ts'
import { gathered, outputOption, print } from '../output/format.ts'
import type { Format } from '../output/format.ts'
import { table } from '../output/table.ts'
import { examples } from '../timers/one-timer-commands.ts'
import { daysOfICalendar } from './icalendar.ts'

type Flags = ConnectionFlags & { readonly output: Format }
type PutFlags = Flags & {
  readonly timeZone?: string
  readonly exclude?: readonly string[]
  readonly allow?: readonly string[]
  readonly ics?: string
}

export function addCalendarsCommands(program: Command, terminal: Terminal): void {
  const calendars = program
    .command('calendars')
    .description('calendars: named lists of days and times when nothing fires')
  const connected = (flags: ConnectionFlags) => connectionOf(flags, terminal.environment)
  const show = (calendar: Calendar, output: Format) =>
    print({ value: calendar, text: () => calendarText(calendar) }, output, terminal)

  const list = calendars.command('list').description('show those of the namespace').addOption(outputOption())
  addConnectionOptions(list).action(async (flags: Flags) => {
    const all = await withClient(connected(flags), (client) => client.calendars.list())
    const rows = all.map(({ name, timeZone, exclude, allow }) => [name, timeZone, summary(exclude), summary(allow)])
    const columns = ['NAME', 'TIME ZONE', 'EXCLUDES', 'ALLOWS ONLY'].map((title) => ({ title }))
    await print({ value: all, text: () => table(columns, rows, terminal) }, flags.output, terminal)
  })

  const get = calendars
    .command('get')
    .argument('<name>')
    .description('show one with all its entries')
    .addOption(outputOption())
  addConnectionOptions(get).action(async (name: string, flags: Flags) =>
    show(await withClient(connected(flags), (client) => client.calendars.get(name)), flags.output),
  )

  const put = calendars
    .command('put')
    .argument('<name>')
    .description('make one, or replace the one of that name')
    .option('--time-zone <zone>', 'whose days and clocks are meant; the local ones by default')
    .option(
      '--exclude <entry>',
      'when nothing fires: 2026-12-25, --12-25, SAT-SUN, 12:00-13:00; may be repeated',
      gathered,
    )
    .option('--allow <entry>', 'nothing fires at other times: "MON-FRI 09:00-17:00"; may be repeated', gathered)
    .option('--ics <file>', 'exclude the all-day events of an iCalendar file, too; - is standard input')
    .addOption(outputOption())
  addConnectionOptions(put).addHelpText('after', PUT_EXAMPLES)
  put.action(async (name: string, flags: PutFlags) => {
    const { timeZone = terminal.environment.timeZone, exclude = [], allow = [] } = flags
    const days = flags.ics === undefined ? [] : daysOfICalendar(await readText(flags.ics))
    if (exclude.length + allow.length + days.length === 0)
      throw new UsageError('Say what the calendar excludes or allows: --exclude, --allow or --ics.')
    const fields = { timeZone, exclude: [...exclude, ...days], allow }
    await show(await withClient(connected(flags), (client) => client.calendars.put(name, fields)), flags.output)
  })

  const remove = calendars
    .command('delete')
    .argument('<name>')
    .description('delete one; timers that name it go on without it')
  addConnectionOptions(remove).action(async (name: string, flags: ConnectionFlags) => {
    await withClient(connected(flags), (client) => client.calendars.delete(name))
    terminal.err(`Deleted the calendar ${name}.\n`)
  })
}

const PUT_EXAMPLES = examples(
  'duetime calendars put business-hours --time-zone Europe/Berlin --allow "MON-FRI 09:00-17:00"',
  'duetime calendars put holidays --exclude --12-25 --exclude 2026-12-24/2027-01-01 --exclude SAT-SUN',
  'duetime calendars put holidays --ics holidays.ics',
  'duetime create "every day at 9:00" https://example.org/hook --calendar holidays',
)

const SHOWN = 3

function summary(entries: readonly string[]): string {
  const more = entries.length > SHOWN ? `, and ${entries.length - SHOWN} more` : ''
  return `${entries.slice(0, SHOWN).join(', ')}${more}`
}

function calendarText({ name, timeZone, exclude, allow }: Calendar): string {
  const lines = [`${name}, in ${timeZone}`]
  if (exclude.length > 0) lines.push('excludes:', ...exclude.map((entry) => `  ${entry}`))
  if (allow.length > 0) lines.push('allows only:', ...allow.map((entry) => `  ${entry}`))
  return `${lines.join('\n')}\n`
}

async function readText(path: string): Promise<string> {
  try {
    return path === '-' ? await text(process.stdin) : await readFile(path, 'utf8')
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}`, { cause: error })
  }
}
