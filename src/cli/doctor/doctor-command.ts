// How `duetime doctor` is called.

import type { Command } from 'commander'
import { addConnectionOptions, connectionOf } from '../command/connection.ts'
import type { ConnectionFlags } from '../command/connection.ts'
import { addSettings, givenFlags } from '../command/given-flags.ts'
import { outputOption } from '../output/format.ts'
import type { Format } from '../output/format.ts'
import type { Terminal } from '../command/terminal.ts'
import { examples } from '../timers/one-timer-commands.ts'

const GROUPS = ['Listening', 'Storage', 'PostgreSQL', 'NATS']

export function addDoctorCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('doctor')
    .description('look at settings, database, clock, NATS and a running server, and say what to do')
    .addOption(outputOption())
  addConnectionOptions(command, { namespace: false })
  addSettings(command, ({ group, flag }) => GROUPS.includes(group) || flag === 'keys-file')
  command.addHelpText(
    'after',
    `\nIt only looks: it is safe beside a running service. Run it with the settings that the service has.\n${EXAMPLES}`,
  )
  command.action(async (flags: ConnectionFlags & { readonly output: Format }) => {
    const connection = connectionOf(flags, terminal.environment)
    // The key that is shown to a server is not the one that a service would ask for.
    const { 'api-key': _key, ...settings } = givenFlags(command)
    const { runDoctor } = await import('./doctor.ts')
    await runDoctor({ flags: settings, connection, output: flags.output }, terminal)
  })
}

const EXAMPLES = examples(
  'duetime doctor',
  'duetime doctor --timer-db-path ./data/duetime.db',
  'duetime doctor --url https://timers.internal -o json',
)
