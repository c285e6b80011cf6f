// The command line as a process: what was asked for is done, and the exit code says how it went.

// oxlint-disable-next-line import/no-unassigned-import -- what it does is all there is to it
import '../runtime/temporal.ts'
import { readEnvFile } from '../runtime/config/env-file.ts'
import { actions } from './command/actions.ts'
import { explainFailure } from './command/failure.ts'
import { runMain } from './program.ts'
import { endQuietlyWithReader } from './command/terminal.ts'

endQuietlyWithReader()
try {
  readEnvFile()
  process.exitCode = await runMain(process.argv.slice(2), actions)
} catch (error) {
  const { message, exitCode } = explainFailure(error)
  process.stderr.write(`${message}\n`)
  process.exitCode = exitCode
}
