// `duetime cancel` and `duetime retry`: timers by their ids, or every one that matches. Before many are changed, somebody
// at a terminal is told how many and asked; a script says --yes.

import { createInterface } from 'node:readline/promises'
import type { BulkFilter, Canceled, Duetime, Retried, Timer } from '@duetime/client'
import type { Command } from 'commander'
import { CommandFailed } from '../command/command-failed.ts'
import { addConnectionOptions, connectionOf, withClient } from '../command/connection.ts'
import type { Connection, ConnectionFlags } from '../command/connection.ts'
import { outputOption, positiveInteger, print } from '../output/format.ts'
import type { Format } from '../output/format.ts'
import { visible } from '../output/visible-text.ts'
import { counted, timersText } from '../transfer/progress-bar.ts'
import type { Terminal } from '../command/terminal.ts'
import { UsageError } from '../command/usage-error.ts'
import { addFilterOptions, filterOf } from './filter-options.ts'
import type { FilterFlags } from './filter-options.ts'
import { each, examples } from './one-timer-commands.ts'

type ManyFlags = FilterFlags &
  ConnectionFlags & {
    readonly all?: true
    readonly dryRun?: true
    readonly yes?: true
    readonly ifVersion?: number
    readonly output: Format
  }

type Verb = 'cancel' | 'retry'
const DONE: Readonly<Record<Verb, string>> = { cancel: 'canceled', retry: 'retried' }

export function addManyTimersCommands(program: Command, terminal: Terminal): void {
  const cancel = addCommand(
    program,
    'cancel',
    'cancel timers: once this returns, their deliveries never start',
    terminal,
  )
  cancel.option('--if-version <number>', 'of one timer: only if it still has this version', positiveInteger)
  cancel.addHelpText(
    'after',
    examples(
      'duetime cancel order-17-reminder',
      'duetime cancel --metadata order=17 --yes',
      'duetime cancel --all --dry-run -n test',
    ),
  )
  addCommand(program, 'retry', 'deliver failed timers again, with all their attempts', terminal).addHelpText(
    'after',
    examples('duetime retry order-17-reminder', 'duetime retry --all --due-from "2d ago" -n orders'),
  )
}

function addCommand(program: Command, verb: Verb, about: string, terminal: Terminal): Command {
  const command = program
    .command(verb)
    .description(about)
    .argument('[id...]', 'the timers')
    .option(
      '--all',
      `every ${verb === 'retry' ? 'failed timer' : 'timer that can be'} of the namespace that matches the filters`,
    )
    .option('--dry-run', 'only count them')
    .option('--yes', 'do not ask')
    .addOption(outputOption())
  addConnectionOptions(addFilterOptions(command, { status: false }))
  return command.action(async (ids: readonly string[], flags: ManyFlags) => {
    const connection = connectionOf(flags, terminal.environment)
    const filter = filterOf(flags, terminal)
    const isFiltered = Object.keys(filter).length > 0
    if (ids.length > 0 && (isFiltered || flags.all === true))
      throw new UsageError('Name the timers, or say which by filters; not both.')
    if (ids.length === 0 && !isFiltered && flags.all !== true) {
      throw new UsageError(`Say which timers: duetime ${verb} <id>, or --all for every one of the namespace.`)
    }
    if (ids.length > 0) return byId(verb, ids, { flags, connection, terminal })
    return many(verb, { ...filter, ...(flags.all === true && { all: true }) }, { flags, connection, terminal })
  })
}

type About = { readonly flags: ManyFlags; readonly connection: Connection; readonly terminal: Terminal }

function byId(verb: Verb, ids: readonly string[], { flags, connection, terminal }: About): Promise<void> {
  const { ifVersion } = flags
  const ask = async (client: Duetime, id: string): Promise<Timer> => {
    if (verb === 'retry') return client.retry(id)
    await client.cancel(id, ifVersion === undefined ? {} : { ifVersion })
    return client.get(id)
  }
  const say = ({ id }: Timer) => `${visible(id)} is ${verb === 'cancel' ? 'canceled' : 'due again'}\n`
  return each(ids, ask, { connection, terminal, format: flags.output, say })
}

async function many(verb: Verb, filter: BulkFilter, { flags, connection, terminal }: About): Promise<void> {
  const change = (dryRun: boolean) =>
    withClient<Canceled | Retried>(connection, (client) =>
      verb === 'cancel' ? client.cancelMany(filter, { dryRun }) : client.retryMany(filter, { dryRun }),
    )
  if (flags.dryRun !== true && flags.yes !== true) await confirm(verb, (await change(true)).matched, terminal)
  const result = await change(flags.dryRun === true)
  const changed = 'canceled' in result ? result.canceled : result.retried
  const late = result.tooLate > 0 ? ` Too late for ${counted(result.tooLate)}.` : ''
  const isDry = flags.dryRun === true
  const said = isDry
    ? `${timersText(result.matched)} would be ${DONE[verb]}.`
    : `${timersText(changed)} ${DONE[verb]}.${late}`
  await print({ value: result, text: () => `${said}\n` }, flags.output, terminal)
}

async function confirm(verb: Verb, matched: number, terminal: Terminal): Promise<void> {
  if (!process.stdin.isTTY || terminal.columns === null) {
    throw new UsageError(
      `This would change ${timersText(matched)}. Nobody can be asked here: repeat it with --yes, or look first with --dry-run.`,
    )
  }
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    // Ctrl-C is an answer, too.
    const answer = await lines
      .question(`${verb === 'cancel' ? 'Cancel' : 'Retry'} ${timersText(matched)}? [y/N] `)
      .catch(() => '')
    if (/^y(?:es)?$/i.test(answer.trim())) return
  } finally {
    lines.close()
  }
  terminal.err('Nothing was changed.\n')
  throw new CommandFailed()
}
