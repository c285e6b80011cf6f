// Duetime as a service: a process of its own on a database of another place.

import { DuetimeServer } from '../../harness/duetime-server.ts'
import type { Place } from './place.ts'

export function servicePlace(inner: Place): Place {
  return {
    async open(settings) {
      const database = await inner.open(settings)
      const isFile = !database.url.includes('://')
      const stored = isFile ? { databasePath: database.url } : { databaseUrl: database.url }
      let server = await DuetimeServer.start(stored)
      const { url, port } = server
      return {
        url,
        cpuMs: () => server.cpuMs() + database.cpuMs(),
        diskBytes: () => database.diskBytes(),
        residentBytes: () => server.residentBytes(),
        async killAndRestart() {
          await server.kill()
          server = await DuetimeServer.start({ ...stored, env: { PORT: String(port) } })
        },
        async drop() {
          await server.stop()
          await database.drop()
        },
      }
    },
  }
}
