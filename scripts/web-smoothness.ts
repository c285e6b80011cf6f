// Whether the web UI stays smooth at full scale: many timers stored, many firing each second, one browser watching.
//
//   node scripts/web-smoothness.ts [stored] [per second] [seconds]     default: 1000000 1000 20

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { launchChromium } from '../test/support/chromium.ts'
import { Receiver } from '../test/support/receiver.ts'
import { Service } from '../test/support/service.ts'
import { storeMany, watchFiring } from '../test/web/smoothness.fixture.ts'

const LONG_TASK_MS_MAX = 200
const [stored = 1_000_000, perSecond = 1_000, seconds = 20] = process.argv.slice(2).map(Number)

/** How long until a page shows its rows. */
async function timed(page: Page, name: string, act: () => Promise<unknown>, shown: string | RegExp): Promise<void> {
  const began = performance.now()
  await act()
  await page.getByText(shown).first().waitFor()
  console.log(`${name}: ${Math.round(performance.now() - began)} ms`)
}

const cwd = mkdtempSync(join(tmpdir(), 'duetime-smoothness-'))
const receiver = await new Receiver(() => ({ status: 200, body: { ok: true } })).start()
const service = new Service({ cwd })
const browser = await launchChromium()
try {
  await service.listening
  const began = performance.now()
  await storeMany({ service, receiver }, stored)
  console.log(`${stored} timers stored in ${Math.round((performance.now() - began) / 1_000)} s`)
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 } })
  page.setDefaultTimeout(60_000)
  await timed(page, 'overview', () => page.goto(service.url), 'Firings per second')
  await page.locator('.pulse[data-state=live]').waitFor()
  const seen = await watchFiring(page, { service, receiver }, { perSecond, seconds })
  const longest = Math.max(0, ...seen.longTasks)
  console.log(`while ${perSecond}/s fired for ${seconds} s: ${JSON.stringify(seen)}`)
  console.log(
    `longest task ${longest} ms (at most ${LONG_TASK_MS_MAX}): ${longest > LONG_TASK_MS_MAX ? 'NOT smooth' : 'smooth'}`,
  )
  if (longest > LONG_TASK_MS_MAX) process.exitCode = 1

  await timed(page, 'first page of the list', () => page.goto(`${service.url}/#/timers`), /1–50 of/)
  await timed(page, 'next page', () => page.getByRole('button', { name: 'Next page' }).click(), /51–100 of/)
  const middle = Math.round(stored / 100)
  await timed(
    page,
    `page ${middle}`,
    () => page.goto(`${service.url}/#/timers?page=${middle}`),
    new RegExp(`${((middle - 1) * 50 + 1).toLocaleString('en-US')}–`),
  )
  await timed(page, 'sorted by due time', () => page.goto(`${service.url}/#/timers?sort=dueAt`), /1–50 of/)
  await timed(page, 'status pending', () => page.getByRole('button', { name: 'pending' }).click(), /timers? match/)
  await timed(page, 'search by id', () => page.goto(`${service.url}/#/timers?q=stored-777`), 'exactly that id')
} finally {
  await browser.close()
  await service.stop()
  receiver.stop()
  rmSync(cwd, { recursive: true, force: true })
}
