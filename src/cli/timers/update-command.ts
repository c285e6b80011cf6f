// `duetime update`: only what is given changes.

import type { TimerChanges } from '@duetime/client'
import type { Command } from 'commander'
import { addConnectionOptions, connectionOf, withClient } from '../command/connection.ts'
import type { ConnectionFlags } from '../command/connection.ts'
import { outputOption, positiveInteger, print } from '../output/format.ts'
import type { Format } from '../output/format.ts'
import type { Terminal } from '../command/terminal.ts'
import { UsageError } from '../command/usage-error.ts'
import { addTimerOptions, timerFields } from './timer-fields.ts'
import type { TimerFlags } from './timer-fields.ts'
import { timerText } from './timer-text.ts'

type UpdateFlags = TimerFlags &
  ConnectionFlags & { readonly ifVersion?: number; readonly retry?: true; readonly output: Format }

export function addUpdateCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('update')
    .description('change a timer; the old version never fires once this returns')
    .argument('<id>', 'the timer')
    .argument('[when]', 'when it fires instead')
    .option('--if-version <number>', 'only if it still has this version', positiveInteger)
    .option('--retry', 'bring it back if it failed: it fires at once, or [when]')
    .addOption(outputOption())
  addConnectionOptions(addTimerOptions(command)).addHelpText('after', HELP)
  command.action(async (id: string, when: string | undefined, flags: UpdateFlags) => {
    const connection = connectionOf(flags, terminal.environment)
    const fields = await timerFields(flags, { when }, terminal)
    if (Object.keys(fields).length === 0 && flags.retry !== true)
      throw new UsageError(`Say what shall change, such as: duetime update ${id} "in 1h"`)
    const changes = {
      ...fields,
      ...(flags.ifVersion !== undefined && { ifVersion: flags.ifVersion }),
      ...(flags.retry && { retry: true }),
    } as TimerChanges
    const timer = await withClient(connection, (client) => client.update(id, changes))
    await print({ value: timer, text: () => timerText(timer, terminal) }, flags.output, terminal)
  })
}

const HELP = `
Examples:
  duetime update order-17-reminder "tomorrow 10:00"
  duetime update order-17-reminder --payload '{"order":17,"urgent":true}' --retries 10
  duetime update order-17-reminder --callback https://example.org/other --if-version 3
  duetime update order-17-reminder --callback https://example.org/mended --retry
`
