// A service with its web UI, a receiver for its deliveries, and a way to open pages of it.

import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import axe from 'axe-core'
import type { AxeResults } from 'axe-core'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { openPage } from '../support/browser.ts'
import { Client } from '../support/client.ts'
import { startReceiver } from '../support/receiver.ts'
import type { Answering, Receiver } from '../support/receiver.ts'
import { startService } from '../support/service.ts'
import type { Environment, Service } from '../support/service.ts'
import { tempDir } from '../support/temp-dir.ts'

export type Web = {
  readonly service: Service
  readonly client: Client
  readonly receiver: Receiver
  /** `/timers?status=failed`; a page in a browser context of its own. */
  readonly open: (path?: string, options?: BrowserContextOptions) => Promise<Page>
}

type Setup = {
  readonly env?: Environment
  readonly headers?: Readonly<Record<string, string>>
  readonly answering?: Answering
}

export async function setup(t: TestContext, { env = {}, headers = {}, answering }: Setup = {}): Promise<Web> {
  const receiver = await startReceiver(t, answering)
  const service = await startService(t, { cwd: tempDir(t), env })
  return {
    service,
    client: new Client(() => service, headers),
    receiver,
    open: (path = '/', options = {}) => openPage(t, `${service.url}/#${path}`, options),
  }
}

export const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString()

/** Every rule of axe for WCAG 2.2 at level AA and good practice. Evaluated from outside, since the page's policy lets no script in. */
export async function assertAccessible(page: Page, what: string): Promise<void> {
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate<AxeResults>('axe.run()')
  const found = violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}\n  ${nodes.map(({ target, failureSummary }) => `${JSON.stringify(target)} ${failureSummary ?? ''}`).join('\n  ')}`,
  )
  assert.deepEqual(found, [], `${what} is not accessible`)
}
