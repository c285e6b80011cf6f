// Behind a proxy that serves the service under a path of its own, the page works as it does without one.

import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { needsBrowser, openPage } from '../support/browser.ts'
import { cleanUp } from '../support/cleanup.ts'
import { accepted } from '../support/client.ts'
import { inMs, setup } from './web-page.fixture.ts'

const PREFIX = '/ops/timers'

/** Passes on what is under the prefix, and nothing else. */
async function startProxy(t: TestContext, target: string): Promise<string> {
  const server = createServer((asked, reply) => {
    if (!asked.url!.startsWith(`${PREFIX}/`)) return reply.writeHead(404).end()
    const { method, headers } = asked
    const passed = request(`${target}${asked.url!.slice(PREFIX.length)}`, {
      method,
      headers: { ...headers, host: new URL(target).host },
    })
    passed.on('response', (answer) => answer.pipe(reply.writeHead(answer.statusCode!, answer.headers)))
    passed.on('error', () => reply.destroy())
    reply.on('close', () => passed.destroy())
    return asked.pipe(passed)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanUp(t, () => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}${PREFIX}/`
}

test('under a prefix it is live, lists timers and changes them', needsBrowser, async (t) => {
  const { service, client, receiver } = await setup(t)
  await accepted(client.create({ id: 'a', executeAt: inMs(3_600_000), callbackUrl: receiver.url }))
  const page = await openPage(t, `${await startProxy(t, service.url)}#/timers`)
  await page.locator('.pulse[data-state=live]').waitFor()
  await page.getByRole('link', { name: 'a', exact: true }).click()
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByRole('button', { name: 'Resume' }).waitFor()
})
