// A command that has said already what failed, and only ends with the code for it.

import { ExitCode } from './exit-codes.ts'

export class CommandFailed extends Error {
  override readonly name = 'CommandFailed'
  readonly exitCode: ExitCode

  constructor(exitCode: ExitCode = ExitCode.failed) {
    super('the command failed')
    this.exitCode = exitCode
  }
}
