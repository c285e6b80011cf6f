// The commands that move timers between databases, and how their flags are read.

import type { Command } from 'commander'
import { flagHelp } from '../runtime/config-docs.ts'
import type { Flags } from './program.ts'

export type TransferActions = {
  readonly export: (options: { readonly to: string; readonly flags: Flags }) => Promise<void>
  readonly import: (options: { readonly from: string; readonly update: boolean; readonly flags: Flags }) => Promise<void>
}

/** What says where the database is and how to reach it; the lease, since both take the place of a node. */
const FLAGS = ['database-url', 'timer-db-path', 'lease']
const GROUP = 'PostgreSQL'
const UPDATE = 'update'

export function addTransferCommands(program: Command, actions: TransferActions, givenFlags: (command: Command) => Flags): void {
  const exporting = program
    .command('export')
    .description('write all timers into a file; SQLite also while the service runs, other databases while no node does')
    .argument('<to>', 'the file to write; it must not exist yet')
  addDatabaseFlags(exporting)
  exporting.action((to: string) => actions.export({ to, flags: givenFlags(exporting) }))

  const importing = program
    .command('import')
    .description('put the timers of such a file into a database that no service uses; run again, it goes on where it stopped')
    .argument('<from>', 'the file that `duetime export` wrote')
    .option(`--${UPDATE}`, 'replace timers of which the file has a later version; otherwise what is there stays')
  addDatabaseFlags(importing)
  importing.action((from: string) => {
    const { [UPDATE]: update, ...flags } = givenFlags(importing)
    return actions.import({ from, update: update !== undefined, flags })
  })
}

function addDatabaseFlags(command: Command): void {
  for (const { flag, group, usage, help } of flagHelp()) if (FLAGS.includes(flag) || group === GROUP) command.option(usage, help)
}
