// `duetime preview`: when a schedule would fire, before anything is made.

import { InvalidArgumentError } from 'commander'
import type { PreviewQuery } from '@duetime/client'
import type { Command } from 'commander'
import { PREVIEW_FIRINGS_DEFAULT, PREVIEW_FIRINGS_MAX } from '../../core/limits.ts'
import { addConnectionOptions, connectionOf, withClient } from '../command/connection.ts'
import type { ConnectionFlags } from '../command/connection.ts'
import { outputOption, positiveInteger, print } from '../output/format.ts'
import type { Format } from '../output/format.ts'
import { fromNow, wallClock } from '../output/readable-time.ts'
import { table } from '../output/table.ts'
import type { Terminal } from '../command/terminal.ts'
import { examples } from './one-timer-commands.ts'
import { addFiringRulesOptions, whenFields } from './timer-fields.ts'
import type { TimerFlags } from './timer-fields.ts'
import { readInstant } from '../when/when.ts'

type PreviewFlags = ConnectionFlags &
  TimerFlags & { readonly count: number; readonly from?: string; readonly to?: string; readonly output: Format }

export function addPreviewCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('preview')
    .description('show when a timer would fire; nothing is stored')
    .argument('<when>', 'as for create')
    .option('--count <number>', 'so many firings', countUpToMax, PREVIEW_FIRINGS_DEFAULT)
    .option('--time-zone <zone>', 'whose clocks are meant; the local ones by default')
    .option('--from <when>', 'only firings from then on')
    .option('--to <when>', 'only firings before')
    .addOption(outputOption())
  addFiringRulesOptions(command)
  addConnectionOptions(command).addHelpText(
    'after',
    examples(
      'duetime preview "every weekday at 9:00"',
      'duetime preview "0 9 L * *" --time-zone Europe/Berlin',
      'duetime preview R/P1M --count 12 --time-zone Europe/Berlin',
    ),
  )
  command.action(async (when: string, flags: PreviewFlags) => {
    const connection = connectionOf(flags, terminal.environment)
    const fields = whenFields(flags, when, terminal)
    const timeZone = fields.timeZone ?? flags.timeZone ?? terminal.environment.timeZone
    const viewpoint = { now: terminal.clock.now(), timeZone }
    const range = {
      ...(flags.from !== undefined && { from: readInstant(flags.from, viewpoint) }),
      ...(flags.to !== undefined && { to: readInstant(flags.to, viewpoint) }),
    }
    const answer = await withClient(connection, (client) =>
      client.preview({ ...fields, ...range, count: flags.count } as PreviewQuery),
    )
    const now = Date.parse(answer.now)
    const rows = answer.firings.map((firing, index) => [
      `${index + 1}`,
      wallClock(Date.parse(firing), timeZone),
      firing,
      fromNow(Date.parse(firing), now),
      ...(answer.unusual.length === 0 ? [] : [answer.unusual.find((one) => one.executeAt === firing)?.note ?? '']),
    ])
    const columns = [
      { title: '#', align: 'right' as const },
      { title: timeZone.toUpperCase() },
      { title: 'UTC' },
      { title: 'FROM NOW' },
      ...(answer.unusual.length === 0 ? [] : [{ title: 'NOTE' }]),
    ]
    await print(
      { value: answer, text: () => `${answer.description}\n\n${table(columns, rows, terminal)}` },
      flags.output,
      terminal,
    )
  })
}

function countUpToMax(text: string): number {
  const count = positiveInteger(text)
  if (count > PREVIEW_FIRINGS_MAX) throw new InvalidArgumentError(`It must be ${PREVIEW_FIRINGS_MAX} at most.`)
  return count
}
