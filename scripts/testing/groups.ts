// Which test belongs to which group, so that there is a quick answer and a thorough one. A file is in the first group that
// has a pattern for it, and `groups.test.ts` sees to it that every file is in one.

import { globSync } from 'node:fs'
import { matchesGlob, relative, resolve, sep } from 'node:path'

export const TEST_FILES = '{src,sim,sdks,test,scripts,bench,examples}/**/*.test.ts'

/** In the order in which all of them run: those that take long first, so that no core is idle in the end. */
export const GROUPS = {
  /** Real processes, brokers, browsers and clusters, packages, the tools of this repository, and what computes for long. */
  system: [
    'test/*.test.ts',
    'test/promises/{calendars,cluster,promises,tenants}.test.ts',
    'test/{cluster,deploy,engines,sdks,web}/**',
    'src/broker/nats/**',
    'src/http/{bad-input,one-timer}.test.ts',
    'sdks/typescript/src/transport/transport.test.ts',
    // Those wait for calendars to be read again, and these try many years in many zones, or many orders.
    'src/http/calendars/**',
    'src/core/time/{zone,rrule,recurring}/**',
    'src/engine/window/window-interleavings.test.ts',
    'scripts/**',
    'examples/**',
    'sim/**',
  ],
  /** Every store, on real files and real servers. */
  stores: ['src/store/**', 'src/service/transfer/**'],
  /** Pure functions, and parts that are put together in memory. They run many to a process. */
  fast: ['src/**', 'sdks/**', 'bench/**', 'test/{promises,support}/**'],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type GroupName = keyof typeof GROUPS

/** These have more to do than all others of their group; they start first. */
const LONGEST = ['test/engines', 'test/cluster', 'test/crash.test.ts', 'test/sdk', 'test/nats', 'test/cli', 'test/web']

export function groupNames(): readonly GroupName[] {
  return Object.keys(GROUPS) as GroupName[]
}

/** The group of a file, given by its path from the root; null: none has a pattern for it. */
export function groupOf(path: string): GroupName | null {
  const name = path.split(sep).join('/')
  return groupNames().find((group) => GROUPS[group].some((pattern) => matchesGlob(name, pattern))) ?? null
}

/** All test files that match one of the patterns, as absolute paths, in the order in which they should start. */
export function testFiles(root: string, patterns: readonly string[] = [TEST_FILES]): string[] {
  const found = patterns.flatMap((pattern) => globSync(pattern, { cwd: root, exclude: ['**/node_modules/**'] }))
  const byStart = (a: string, b: string) => rankOf(relative(root, a)) - rankOf(relative(root, b)) || (a < b ? -1 : 1)
  return [...new Set(found.map((path) => resolve(root, path)))].toSorted(byStart)
}

function rankOf(path: string): number {
  const longest = LONGEST.findIndex((prefix) => path.startsWith(prefix))
  return longest >= 0 ? longest : LONGEST.length + groupNames().indexOf(groupOf(path) ?? 'fast')
}
