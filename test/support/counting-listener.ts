// A web server on an address of the test's own choice that counts who connects: for proving that nobody does.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { cleanUp } from './cleanup.ts'

export type CountingListener = {
  readonly url: string
  readonly connections: () => number
  readonly requests: () => number
}

type Answering = (response: ServerResponse) => void

export async function countingListener(t: TestContext, host: string, answer: Answering): Promise<CountingListener> {
  let [connections, requests] = [0, 0]
  const server = createServer((request, response) => {
    requests++
    request.resume().once('end', () => answer(response))
  })
  server.on('connection', () => connections++)
  server.listen(0, host)
  await once(server, 'listening')
  cleanUp(t, () => {
    server.close()
    server.closeAllConnections()
  })
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    connections: () => connections,
    requests: () => requests,
  }
}
