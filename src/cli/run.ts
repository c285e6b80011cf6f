// The command line as a process: what was asked for is done, and the exit code says how it went.

// oxlint-disable-next-line import/no-unassigned-import -- what it does is all there is to it
import '../runtime/temporal.ts'
import { actions } from './actions.ts'
import { runMain } from './program.ts'
import { endQuietlyWithReader } from './terminal.ts'

endQuietlyWithReader()
process.exitCode = await runMain(process.argv.slice(2), actions)
