// Errors that end a command, in words that say what to do. A stack trace is for defects only. Errors are told by their
// names, so that a command does not load the parts whose errors it could never meet.

import { CommandFailed } from './command-failed.ts'
import { ExitCode } from './exit-codes.ts'
import { refusalOf } from './refusal.ts'

export type Failure = {
  /** Empty when all has been said. */
  readonly message: string
  readonly exitCode: ExitCode
}

export function explainFailure(error: unknown): Failure {
  if (error instanceof CommandFailed) return { message: '', exitCode: error.exitCode }
  if (!(error instanceof Error)) return { message: String(error), exitCode: ExitCode.failed }
  const { message, name } = error
  switch (name) {
    case 'ConfigError':
      return { message: `${message}\nEvery setting is described by: duetime serve --help`, exitCode: ExitCode.usage }
    case 'EnvFileError':
    case 'KeysFileError':
    case 'UsageError':
      return { message, exitCode: ExitCode.usage }
    // The store says by itself what to do, and so does a transfer.
    case 'StoreError':
    case 'TransferError':
      return { message, exitCode: ExitCode.failed }
    default:
      break
  }
  const refusal = refusalOf(error)
  if (refusal !== null) return refusal
  const advice = ADVICE[(error as NodeJS.ErrnoException).code ?? '']
  if (advice !== undefined) return { message: `${message}\n${advice}`, exitCode: ExitCode.failed }
  return { message: error.stack ?? message, exitCode: ExitCode.failed }
}

const ADVICE: Readonly<Record<string, string>> = {
  EADDRINUSE:
    'Something listens there already, perhaps another Duetime. Choose another port: duetime serve --port 8081',
  EADDRNOTAVAIL: 'This machine has no such address. HOST says where to listen: 127.0.0.1 for this machine only.',
  EACCES:
    'This user may not do that. Ports below 1024 need privileges, and the database needs a folder that can be written to.',
  EEXIST: 'The file exists already and is not overwritten. Choose another name.',
  ENOENT: 'There is no such file or folder. Paths are relative to the folder the command is run in.',
}
