// What a command ends with, for scripts that ask. The help, the reference page and the failures all use this table.

export const ExitCode = {
  done: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  conflict: 4,
  access: 5,
  unreachable: 6,
  tryLater: 7,
} as const
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode]

export const EXIT_CODES: readonly (readonly [code: ExitCode, meaning: string])[] = [
  [ExitCode.done, 'done'],
  [ExitCode.failed, 'it failed; the message says why'],
  [ExitCode.usage, 'it was called wrongly, or the server refused what was given'],
  [ExitCode.notFound, 'there is no such timer, or calendar'],
  [ExitCode.conflict, 'the timer exists already, is past changing, or has another version'],
  [ExitCode.access, 'no API key was given, or it may not do this'],
  [ExitCode.unreachable, 'no server answers there'],
  [ExitCode.tryLater, 'the server is busy or cannot reach its database; the same command may succeed later'],
]

export function exitCodesText(): string {
  return `\nExit codes:\n${EXIT_CODES.map(([code, meaning]) => `  ${code}  ${meaning}\n`).join('')}`
}
