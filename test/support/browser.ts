// The web UI in a real browser. A page that a test opens watches itself: what it throws, and what its own content
// security policy blocks, fails the test.

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { after } from 'node:test'
import type { TestContext, TestOptions } from 'node:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { launchChromium, missingChromium } from './chromium.ts'
import { cleanUp } from './cleanup.ts'

export const WEB_DIST = join(import.meta.dirname, '..', '..', 'web', 'dist')
const WAIT_MS = 20_000 // a machine that runs all tests at once is slow

const missing =
  missingChromium ?? (existsSync(join(WEB_DIST, 'index.html')) ? null : 'the web UI is not built (npm run build)')
if (missing !== null && process.env['CI'] === 'true') throw new Error(`${missing}, and CI must not skip its tests`)

/** For tests that need a browser and the built page: says why they are skipped where one is missing. */
export const needsBrowser: TestOptions = missing === null ? {} : { skip: missing }

let shared: Promise<Browser> | null = null
after(async () => (await shared)?.close())

/** A page in a context of its own: nothing is remembered from another one. At the end nothing may have gone wrong inside. */
export async function openPage(t: TestContext, url: string, options: BrowserContextOptions = {}): Promise<Page> {
  shared ??= launchChromium()
  const browser = await shared
  const context = await browser.newContext({
    viewport: { width: 1280, height: 860 },
    timezoneId: 'Europe/Berlin',
    locale: 'en-GB',
    reducedMotion: 'reduce',
    ...options,
  })
  cleanUp(t, () => context.close())
  const page = await context.newPage()
  page.setDefaultTimeout(WAIT_MS)
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.stack ?? error.message))
  page.on('console', (message) => {
    // Chromium reports every refused or lost request there as well; tests of those are about how the page takes them.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) faults.push(message.text())
  })
  cleanUp(t, () => assert.deepEqual(faults, [], 'the page has errors'))
  await page.goto(url)
  return page
}
