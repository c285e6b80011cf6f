// The command line: what commands there are, their help and their examples. The flags of `serve` come from the
// config schema, so none is ever missing here.

import { Command, CommanderError } from 'commander'
import { VERSION } from '../runtime/version.ts'
import { addCalendarsCommands } from './calendars/calendars-commands.ts'
import { addCompletionCommand } from './completion/completion-command.ts'
import { addDoctorCommand } from './doctor/doctor-command.ts'
import { ExitCode, exitCodesText } from './command/exit-codes.ts'
import { explainFailure } from './command/failure.ts'
import { addSettings, givenFlags } from './command/given-flags.ts'
import type { Flags } from './command/given-flags.ts'
import { addClusterCommand } from './insight/cluster-command.ts'
import { addStatsCommand } from './insight/stats-command.ts'
import { addWatchCommand } from './insight/watch-command.ts'
import { addDevCommand } from './dev/dev-command.ts'
import { addKeysCommands } from './keys/keys-commands.ts'
import { standardTerminal } from './command/terminal.ts'
import type { Terminal } from './command/terminal.ts'
import { addCreateCommand } from './timers/create-command.ts'
import { addListCommand } from './timers/list-command.ts'
import { addManyTimersCommands } from './timers/many-timers-commands.ts'
import { addOneTimerCommands } from './timers/one-timer-commands.ts'
import { addPreviewCommand } from './timers/preview-command.ts'
import { addUpdateCommand } from './timers/update-command.ts'
import { addMigrateCommands } from './migrate/migrate-commands.ts'
import type { MigrateActions } from './migrate/migrate-commands.ts'
import { addShardsCommands } from './shards/shards-commands.ts'
import type { ShardsActions } from './shards/shards-commands.ts'
import { addTransferCommands } from './transfer/transfer-commands.ts'
import type { TransferActions } from './transfer/transfer-commands.ts'

export type Actions = TransferActions &
  MigrateActions &
  ShardsActions & {
    /** Resolves when the service has started; it runs until the process is told to stop. */
    readonly serve: (flags: Flags) => Promise<void>
    readonly backup: (options: { readonly to: string; readonly flags: Flags }) => Promise<void>
  }

/** The exit code; see exit-codes.ts. `output` stands in for the terminal where a test reads what is written. */
export async function runMain(
  args: readonly string[],
  actions: Actions,
  output: Partial<Terminal> = {},
): Promise<ExitCode> {
  const terminal = { ...standardTerminal(), ...output }
  try {
    await createProgram(actions, terminal).parseAsync(args, { from: 'user' })
    return ExitCode.done
  } catch (error) {
    // Help and version are thrown too, with code 0; commander has printed what there is to say.
    if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.done : ExitCode.usage
    const { message, exitCode } = explainFailure(error)
    if (message !== '') terminal.err(`${message}\n`)
    return exitCode
  }
}

const SERVICE_GROUP = 'The service:'

export function createProgram(actions: Actions, terminal: Terminal): Command {
  const program = new Command('duetime')
    .description(
      'Durable timers: say what to call and when; Duetime stores it and calls, on the dot, whatever crashes in between.',
    )
    .version(VERSION, '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .addHelpCommand(
      new Command('help').argument('[command]').description('print the help of a command').helpGroup(SERVICE_GROUP),
    )
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err })
    .showHelpAfterError('Run with --help to see what is possible.')
    .exitOverride()
    .addHelpText('after', EXAMPLES + exitCodesText())
  program.commandsGroup('Timers:')
  addCreateCommand(program, terminal)
  addListCommand(program, terminal)
  addUpdateCommand(program, terminal)
  addOneTimerCommands(program, terminal)
  addManyTimersCommands(program, terminal)
  addPreviewCommand(program, terminal)
  addCalendarsCommands(program, terminal)
  program.commandsGroup('Looking on:')
  addWatchCommand(program, terminal)
  addStatsCommand(program, terminal)
  addClusterCommand(program, terminal)
  program.commandsGroup(SERVICE_GROUP)
  addServe(program, actions)
  addDoctorCommand(program, terminal)
  addKeysCommands(program, terminal)
  addDevCommand(program, terminal)
  addBackup(program, actions)
  addMigrateCommands(program, actions)
  addTransferCommands(program, actions)
  addShardsCommands(program, actions)
  addCompletionCommand(program, terminal)
  return program
}

function addServe(program: Command, actions: Actions): void {
  const serve = program
    .command('serve')
    .description('run the service')
    // Unknown flags reach loadConfig, which reports them together with everything else that is wrong.
    .allowUnknownOption()
    .allowExcessArguments()
    .usage('[flags]')
    .addHelpText('after', SERVE_HELP)
  addSettings(serve)
  serve.action(() => actions.serve({ ...givenFlags(serve), ...unknownFlags(serve) }))
}

/** Only the flags that say where the database is: a backup needs nothing else. */
const BACKUP_FLAGS = ['database-url', 'timer-db-path']

function addBackup(program: Command, actions: Actions): void {
  const backup = program
    .command('backup')
    .description('copy the SQLite database into a new file, also while the service runs')
    .argument('<to>', 'the file to write; it must not exist yet')
    .addHelpText(
      'after',
      '\nExamples:\n  duetime backup ./backups/monday.db\n  duetime backup monday.db --timer-db-path /var/lib/duetime/timers.db\n',
    )
  addSettings(backup, ({ flag }) => BACKUP_FLAGS.includes(flag))
  backup.action((to: string) => actions.backup({ to, flags: givenFlags(backup) }))
}

/** `--prot 80` and `--prot=80` by name; a word that follows no flag is a mistake of another kind. */
function unknownFlags(command: Command): Flags {
  const flags: Record<string, string> = {}
  for (const [index, word] of command.args.entries()) {
    const [, name, value = ''] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? []
    if (name !== undefined) flags[name] = value
    else if (!command.args[index - 1]?.startsWith('--'))
      command.error(`error: \`${word}\` is not a flag; flags begin with --`)
  }
  return flags
}

const SERVE_HELP = `
Every flag is also an environment variable, named in brackets; the flag wins.

Examples:
  duetime serve                                        listen on http://127.0.0.1:8080, store in ./data/duetime.db
  duetime serve --port 9000 --database-url memory:     try it out and leave nothing behind
  API_KEY=… duetime serve --database-url postgres://duetime@db.internal/duetime
`

const EXAMPLES = `
Examples:
  duetime serve                                              listen on http://127.0.0.1:8080, store in ./data/duetime.db
  duetime dev                                                the service, a receiver and a clock that can be moved, to try it out
  duetime create "in 5m" https://example.org/hook            a timer
  duetime list --status pending                              what is to come
  duetime watch                                              what fires, as it fires
  duetime doctor                                             is everything as it should be?
  duetime create --help                                      the help of a command
`
