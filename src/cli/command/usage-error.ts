/** The command was given something it cannot work with; the message says what is right. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
