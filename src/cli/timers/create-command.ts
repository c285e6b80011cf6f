// `duetime create`: a timer, by flags or in two words: when, and what to call.

import { Option } from 'commander'
import type { Command } from 'commander'
import type { NewTimer, OnConflict, Timer } from '@duetime/client'
import { addConnectionOptions, connectionOf, withClient } from '../command/connection.ts'
import type { ConnectionFlags } from '../command/connection.ts'
import { outputOption, print } from '../output/format.ts'
import type { Format } from '../output/format.ts'
import { facts } from '../output/table.ts'
import type { Terminal } from '../command/terminal.ts'
import { UsageError } from '../command/usage-error.ts'
import { EXAMPLES as WHEN_EXAMPLES } from '../when/moment.ts'
import { addTimerOptions, timerFields } from './timer-fields.ts'
import type { TimerFlags } from './timer-fields.ts'
import { callText, dueText } from './timer-text.ts'

type CreateFlags = TimerFlags &
  ConnectionFlags & {
    readonly id?: string
    readonly onConflict?: OnConflict
    readonly quiet?: true
    readonly output: Format
  }

export function addCreateCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('create')
    .description('create a timer; it is on disk when this returns')
    .argument(
      '[when]',
      'when it fires, as you would say it: "in 5m", "tomorrow 9:00 Europe/Berlin", "every day at 9:00"',
    )
    .argument('[callback]', 'the URL that gets a POST then')
    .option('--id <id>', 'its id; a new one unless it is given')
    .addOption(
      new Option('--on-conflict <what>', 'when the id is taken: replace it (default), keep it, or reject').choices([
        'replace',
        'keep',
        'reject',
      ]),
    )
    .option('-q, --quiet', 'print the id alone')
    .addOption(outputOption())
  addConnectionOptions(addTimerOptions(command)).addHelpText('after', HELP)
  command.action(async (when: string | undefined, callback: string | undefined, flags: CreateFlags) => {
    const connection = connectionOf(flags, terminal.environment)
    const fields = await timerFields(flags, { when, callback }, terminal)
    if (fields.executeAt === undefined && fields.schedule === undefined) {
      throw new UsageError('Say when it fires, such as: duetime create "in 5m" https://example.org/hook')
    }
    if (fields.callbackUrl === undefined && fields.callback === undefined) {
      throw new UsageError(`Say what to call, such as: duetime create "${when ?? 'in 5m'}" https://example.org/hook`)
    }
    const { id, onConflict } = flags
    const timer = await withClient(
      connection,
      // That there is one time and one target is checked above, and where the flags are read.
      (client) =>
        client.create({
          ...fields,
          ...(id !== undefined && { id }),
          ...(onConflict !== undefined && { onConflict }),
        } as NewTimer),
    )
    if (flags.quiet === true) return terminal.out(`${timer.id}\n`)
    return print({ value: timer, text: () => createdText(timer, terminal) }, flags.output, terminal)
  })
}

function createdText(timer: Timer, terminal: Terminal): string {
  return facts(
    [
      ['id', timer.namespace === 'default' ? timer.id : `${timer.id} in ${timer.namespace}`],
      ['due', dueText(timer, terminal)],
      timer.iteration === undefined
        ? null
        : ['repeats', `${timer.schedule}${timer.timeZone === undefined ? '' : ` in ${timer.timeZone}`}`],
      ['calls', callText(timer)],
    ],
    terminal,
  )
}

const HELP = `
When can be written as:
${WHEN_EXAMPLES.map((line) => `  ${line}`).join('\n')}

Examples:
  duetime create "in 5m" https://example.org/hook
  duetime create "tomorrow 9:00 Europe/Berlin" https://example.org/hook --id order-17-reminder --payload '{"order":17}'
  duetime create --every "day at 9:00" --callback https://example.org/report --metadata team=billing
  duetime create "in 1h" --nats orders.expired --payload @order.json
  ID=$(duetime create -q "in 30s" https://example.org/hook)
`
