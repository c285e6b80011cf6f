// The commands that move timers between databases, and how their flags are read.

import type { Command } from 'commander'
import { addSettings, givenFlags } from '../command/given-flags.ts'
import type { Flags } from '../command/given-flags.ts'

export type TransferActions = {
  readonly export: (options: { readonly to: string; readonly flags: Flags }) => Promise<void>
  readonly import: (options: {
    readonly from: string
    readonly update: boolean
    readonly flags: Flags
  }) => Promise<void>
}

/** What says where the database is and how to reach it; the lease, since both take the place of a node. */
const FLAGS = ['database-url', 'timer-db-path', 'lease']
const GROUP = 'PostgreSQL'

export function addTransferCommands(program: Command, actions: TransferActions): void {
  const exporting = program
    .command('export')
    .description('write all timers into a file; SQLite also while the service runs, other databases while no node does')
    .argument('<to>', 'the file to write; it must not exist yet')
    .addHelpText('after', EXPORT_HELP)
  addDatabaseFlags(exporting)
  exporting.action((to: string) => actions.export({ to, flags: givenFlags(exporting) }))

  const importing = program
    .command('import')
    .description(
      'put the timers of such a file into a database that no service uses; run again, it goes on where it stopped',
    )
    .argument('<from>', 'the file that `duetime export` wrote')
    .option('--update', 'replace timers of which the file has a later version; otherwise what is there stays')
    .addHelpText('after', IMPORT_HELP)
  addDatabaseFlags(importing)
  importing.action((from: string, { update }: { readonly update?: true }) =>
    actions.import({ from, update: update === true, flags: givenFlags(importing) }),
  )
}

function addDatabaseFlags(command: Command): void {
  addSettings(command, ({ flag, group }) => FLAGS.includes(flag) || group === GROUP)
}

const EXPORT_HELP = `
Interrupted, it is run again and goes on where it stopped, unless a service has written to the database meanwhile.

Examples:
  duetime export timers.ndjson
  duetime export timers.ndjson --timer-db-path /var/lib/duetime/timers.db
`

const IMPORT_HELP = `
The whole file is checked before anything of it is imported. Interrupted, it is run again.

Examples:
  duetime import timers.ndjson --database-url postgres://duetime@db.internal/duetime
  duetime import second.ndjson --update
`
