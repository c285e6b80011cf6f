// What there is to know about one kind of server: how it is had, and how it is started. One object for each; see servers.ts.

import type { ServerRun } from './server-run.ts'

export type ServerKind = {
  /** By which people ask for it. */
  readonly name: string
  readonly title: string
  /** Programs that must be on the machine before anything can be installed. */
  readonly needs: readonly string[]
  /** What the first installation costs, for people who decide whether to wait. */
  readonly cost: string
  /** CI installs it in every run. The others take long to build, or may vanish from where they come from. */
  readonly inEveryRun: boolean
  /** Of a server of several nodes: the address of each, by which it names their processes. */
  readonly nodes?: readonly string[]
  readonly isInstalled: () => boolean
  readonly install: () => Promise<void>
  /** Starts its processes on loopback and resolves when it answers. Called again for a restart, with the same folder and ports. */
  readonly start: (run: ServerRun) => Promise<void>
  /** As DATABASE_URL. `port` is the one on which clients come, or that of a proxy before it. */
  readonly url: (port: number, database: string) => string
  /** What clients need in their environment besides the URL. */
  readonly environment?: Readonly<Record<string, string>>
}
