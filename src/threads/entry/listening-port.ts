// Which port the threads of HTTP share. The kernel lets every process of the same user listen beside those that share a
// port, also another service by mistake. So the port is first taken alone, which fails if anybody has it.

import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'

/** Rejects as listening alone does. `port` 0 takes any free one. */
export async function freePort({ host, port }: { readonly host: string; readonly port: number }): Promise<number> {
  const server = createServer()
  server.listen({ host, port, exclusive: true })
  await once(server, 'listening')
  const taken = (server.address() as AddressInfo).port
  server.close()
  await once(server, 'close')
  return taken
}
