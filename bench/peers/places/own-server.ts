// A place whose server is a program of its own: a new process with a new folder for each run.

import { ServerRun } from '../../../scripts/servers/server-run.ts'
import { cpuMs, residentBytes } from '../../harness/process-usage.ts'
import { bytesUnder } from './place.ts'
import type { Place } from './place.ts'
import type { Settings } from '../system.ts'

export type OwnServer = {
  readonly command: string
  readonly scheme: string
  /** `directory`: where its data are to be. `otherPort`: a free one, for what else it listens on. */
  readonly args: (given: {
    readonly port: number
    readonly otherPort: number
    readonly directory: string
    readonly settings: Settings
  }) => readonly string[]
  readonly answers: (port: number) => Promise<boolean>
}

export function ownServerPlace({ command, scheme, args, answers }: OwnServer): Place {
  return {
    async open(settings) {
      const run = new ServerRun()
      const port = await run.port()
      const otherPort = await run.port('other')
      const directory = run.temporary()
      try {
        await run.launch({ command, args: args({ port, otherPort, directory, settings }) }, () => answers(port))
      } catch (error) {
        await run.stop()
        throw error
      }
      const [pid] = run.pids
      return {
        url: `${scheme}://127.0.0.1:${port}`,
        cpuMs: () => cpuMs(pid!),
        diskBytes: () => Promise.resolve(bytesUnder(directory)),
        residentBytes: () => residentBytes(pid!),
        drop: () => run.stop(),
      }
    },
  }
}
