// The one reason for which CI may skip a test: what it needs cannot be had on this machine, such as a base image without a
// registry. Whatever CI can install it must install: then the test has no such excuse.

const PREFIX = 'cannot be had here: '

/** As the `skip` of a test. */
export function cannotBeHad(what: string): string {
  return `${PREFIX}${what}`
}

export function isExcused(skip: string | boolean | undefined): boolean {
  return typeof skip === 'string' && skip.startsWith(PREFIX)
}
