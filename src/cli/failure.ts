// Errors that end a command, in words that say what to do. A stack trace is for defects only.

import { ConfigError } from '../runtime/config.ts'
import { KeysFileError } from '../service/keys/key-entries.ts'
import { TransferError } from '../service/transfer/transfer-error.ts'
import { StoreError } from '../store/store.ts'

/** The command was given something it cannot work with. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

export type Failure = { readonly message: string; readonly exitCode: number }

export function explainFailure(error: unknown): Failure {
  if (error instanceof ConfigError) return { message: `${error.message}\nEvery setting is described by: duetime serve --help`, exitCode: 2 }
  if (error instanceof KeysFileError || error instanceof UsageError) return { message: error.message, exitCode: 2 }
  // The store says by itself what to do, and so does a transfer.
  if (error instanceof StoreError || error instanceof TransferError) return { message: error.message, exitCode: 1 }
  if (!(error instanceof Error)) return { message: String(error), exitCode: 1 }
  const advice = ADVICE[(error as NodeJS.ErrnoException).code ?? '']
  if (advice !== undefined) return { message: `${error.message}\n${advice}`, exitCode: 1 }
  return { message: error.stack ?? error.message, exitCode: 1 }
}

const ADVICE: Readonly<Record<string, string>> = {
  EADDRINUSE: 'Something listens there already, perhaps another Duetime. Choose another port: duetime serve --port 8081',
  EADDRNOTAVAIL: 'This machine has no such address. HOST says where to listen: 127.0.0.1 for this machine only.',
  EACCES: 'This user may not do that. Ports below 1024 need privileges, and the database needs a folder that can be written to.',
  EEXIST: 'The file exists already and is not overwritten. Choose another name.',
  ENOENT: 'There is no such file or folder. Paths are relative to the folder the command is run in.',
}
