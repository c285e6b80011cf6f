// Which Node this runs on. Whoever has an older one should read one sentence, not a stack trace of some module that it
// cannot load. So this file uses nothing that an old Node does not understand, and imports nothing.

/** As `engines` in package.json has it. Before these, node:sqlite could not bind numbered parameters. */
export const NODE_RANGE = '^22.20 || >=24.7'

/** A sentence about a Node that is too old; null about one that will do. */
export function nodeFault(version: string): string | null {
  const [major, minor] = version.split('.').map(Number) as [number, number]
  const isEnough = (major === 22 && minor >= 20) || (major === 24 && minor >= 7) || major > 24
  return isEnough ? null : `Duetime needs Node.js 22.20, 24.7 or newer, and this is ${version}.`
}
