// The command line: what commands there are, their help and their examples. The flags of `serve` come from the
// config schema, so none is ever missing here.

import { Command, CommanderError, Option } from 'commander'
import { flagHelp } from '../runtime/config-docs.ts'
import type { ConfigSources } from '../runtime/config.ts'
import { VERSION } from '../runtime/version.ts'
import { explainFailure } from './failure.ts'
import { addKeysCommands } from './keys-commands.ts'
import { addTransferCommands } from './transfer-commands.ts'
import type { TransferActions } from './transfer-commands.ts'

export type Flags = NonNullable<ConfigSources['flags']>

export type Actions = TransferActions & {
  /** Resolves when the service has started; it runs until the process is told to stop. */
  readonly serve: (flags: Flags) => Promise<void>
  readonly backup: (options: { readonly to: string; readonly flags: Flags }) => Promise<void>
}

type Output = { readonly out: (text: string) => void; readonly err: (text: string) => void }

const STANDARD_OUTPUT: Output = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
}

/** The exit code: 0, 1 when the command failed, 2 when it was called wrongly. */
export async function runMain(args: readonly string[], actions: Actions, output: Output = STANDARD_OUTPUT): Promise<number> {
  try {
    await createProgram(actions, output).parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    // Help and version are thrown too, with code 0; commander has printed what there is to say.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    const { message, exitCode } = explainFailure(error)
    output.err(`${message}\n`)
    return exitCode
  }
}

function createProgram(actions: Actions, { out, err }: Output): Command {
  const program = new Command('duetime')
    .description('Durable timers: say what to call and when; Duetime stores it and calls, on the dot, whatever crashes in between.')
    .version(VERSION, '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .configureOutput({ writeOut: out, writeErr: err })
    .showHelpAfterError('Run with --help to see what is possible.')
    .exitOverride()
    .addHelpText('after', EXAMPLES)
  addServe(program, actions)
  addBackup(program, actions)
  addTransferCommands(program, actions, givenFlags)
  addKeysCommands(program, { out, err })
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
    .addHelpText('after', '\nEvery flag is also an environment variable, named in brackets; the flag wins.')
  for (const { usage, help, group } of flagHelp()) serve.addOption(new Option(usage, help).helpGroup(`${group}:`))
  serve.action(() => actions.serve({ ...givenFlags(serve), ...unknownFlags(serve) }))
}

/** Only the flags that say where the database is: a backup needs nothing else. */
const BACKUP_FLAGS = ['database-url', 'timer-db-path']

function addBackup(program: Command, actions: Actions): void {
  const backup = program
    .command('backup')
    .description('copy the SQLite database into a new file, also while the service runs')
    .argument('<to>', 'the file to write; it must not exist yet')
  for (const { flag, usage, help } of flagHelp()) if (BACKUP_FLAGS.includes(flag)) backup.option(usage, help)
  backup.action((to: string) => actions.backup({ to, flags: givenFlags(backup) }))
}

/** What was given, by the flag's own name. A switch without a value is `true` in commander and text everywhere else. */
function givenFlags(command: Command): Flags {
  const values = command.opts<Record<string, string | true | undefined>>()
  const given = command.options.map((option) => [option.long?.slice(2) ?? '', values[option.attributeName()]] as const)
  return Object.fromEntries(given.flatMap(([flag, value]) => (value === undefined ? [] : [[flag, String(value)]])))
}

/** `--prot 80` and `--prot=80` by name; a word that follows no flag is a mistake of another kind. */
function unknownFlags(command: Command): Flags {
  const flags: Record<string, string> = {}
  for (const [index, word] of command.args.entries()) {
    const [, name, value = ''] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? []
    if (name !== undefined) flags[name] = value
    else if (!command.args[index - 1]?.startsWith('--')) command.error(`error: \`${word}\` is not a flag; flags begin with --`)
  }
  return flags
}

const EXAMPLES = `
Examples:
  duetime serve                                        listen on http://127.0.0.1:8080, store in ./data/duetime.db
  duetime serve --port 9000 --database-url memory:     try it out and leave nothing behind
  duetime serve --help                                 every setting
  duetime backup ./backups/monday.db                   copy the database while the service runs
  duetime export timers.ndjson                         write all timers into a file, to import them into another database
  duetime keys create --name orders --file keys.json   make an API key
`
