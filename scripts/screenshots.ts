// The pictures in docs/images, of the real page in a real browser on a real server with made-up timers.
//
//   npm run build && npm run screenshots [-- seconds to fire before [name of one picture]]

import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { launchChromium } from '../test/support/chromium.ts'
import { FAILING, OK, Receiver } from '../test/support/receiver.ts'
import { Service } from '../test/support/service.ts'
import { storeTimers } from '../test/web/store-timers.ts'
import { comingTimers, firingTimers, namedTimers } from './screenshots/demo-timers.ts'

const FOLDER = join(import.meta.dirname, '..', 'docs', 'images')
const BYTES_MAX = 150_000
/** How long it fires before the pictures are taken: the charts show the last minutes. */
const WARM_UP_MS = Number(process.argv[2] ?? 75) * 1_000
const ONLY = process.argv[3]

type Shot = {
  readonly name: string
  readonly path: string
  readonly options?: BrowserContextOptions
  readonly prepare?: (page: Page) => Promise<unknown>
}

const DESKTOP = { width: 1280, height: 780 }
const TALL: BrowserContextOptions = { viewport: { width: 1280, height: 1040 } }
const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 780 },
  deviceScaleFactor: 2,
  isMobile: true,
  hasTouch: true,
}
const DARK: BrowserContextOptions = { colorScheme: 'dark' }

const live = (page: Page) => page.locator('.pulse[data-state=live]').waitFor()
const rows = (page: Page) => page.locator('table.timers tbody tr').first().waitFor()

const SHOTS: readonly Shot[] = [
  { name: 'overview', path: '/', options: TALL, prepare: watched },
  { name: 'overview-dark', path: '/', options: { ...TALL, ...DARK }, prepare: watched },
  { name: 'overview-small', path: '/', options: { ...PHONE, ...DARK }, prepare: watched },
  {
    name: 'timers',
    path: '/timers?sort=dueAt&status=pending',
    options: { viewport: { width: 1280, height: 700 } },
    prepare: select,
  },
  { name: 'timers-small', path: '/timers?status=pending', options: PHONE, prepare: rows },
  {
    name: 'timer',
    path: '/timers/billing/invoice-2041-overdue',
    prepare: (page) => page.getByText('Attempt 2').first().waitFor(),
  },
  {
    name: 'timer-dark',
    path: '/timers/sessions/kiosk-17',
    options: DARK,
    prepare: (page) => page.getByText('Fires in').waitFor(),
  },
  { name: 'new-timer', path: '/new', options: { viewport: { width: 1280, height: 1110 } }, prepare: fillIn },
]

async function watched(page: Page): Promise<void> {
  await live(page)
  await page.getByRole('table', { name: 'Latest attempts' }).waitFor()
  // Two seconds of samples fill the table of the latest attempts.
  await sleep(3_000)
}

async function select(page: Page): Promise<void> {
  await rows(page)
  for (const index of [1, 2, 4]) await page.locator('tbody input[type=checkbox]').nth(index).check()
}

let receiverUrl = ''
async function fillIn(page: Page): Promise<void> {
  await page.getByRole('tab', { name: 'Cycle' }).click()
  await page.getByLabel('Every', { exact: true }).fill('1')
  await page.getByLabel('Every: unit').selectOption('month')
  await page.getByLabel('First firing').fill(`${new Date().getFullYear() + 1}-01-31T09:00`)
  await page.getByLabel('Callback URL').fill(receiverUrl)
  await page.getByLabel('Payload', { exact: true }).fill('{\n  "report": "monthly",\n  "team": "billing"\n}')
  await page.getByRole('button', { name: 'Send a test delivery' }).click()
  await page.getByText('delivered', { exact: true }).waitFor()
  await page.getByText(/31 Mar/).waitFor()
  await page.evaluate('scrollTo(0, 0)')
}

async function take(browser: Browser, url: string, { name, path, options = {}, prepare = live }: Shot): Promise<void> {
  const context = await browser.newContext({
    viewport: DESKTOP,
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    ...options,
  })
  const page = await context.newPage()
  await page.goto(`${url}/#${path}`)
  await prepare(page)
  // Moved away: a pointer that hovers something is not part of the picture.
  await page.mouse.move(0, 0)
  const file = join(FOLDER, `${name}.png`)
  await page.screenshot({ path: file, animations: 'disabled' })
  await context.close()
  const { size } = statSync(file)
  console.log(`${name}.png ${Math.round(size / 1_000)} kB${size > BYTES_MAX ? ' TOO LARGE' : ''}`)
  if (size > BYTES_MAX) process.exitCode = 1
}

const cwd = mkdtempSync(join(tmpdir(), 'duetime-screenshots-'))
mkdirSync(FOLDER, { recursive: true })
const receiver = await new Receiver(({ body, attempt }) => {
  if (body.id === 'invoice-2041-overdue') return attempt < 4 ? { status: 503, body: { ok: false } } : OK
  return body.namespace === 'billing' && Number(body.id.replaceAll(/\D/g, '')) % 9 === 0 ? FAILING : OK
}).start()
receiverUrl = receiver.url
const service = new Service({ cwd })
try {
  await service.listening
  const now = Date.now()
  await storeTimers(service, namedTimers(now, receiver))
  await storeTimers(service, firingTimers(now, WARM_UP_MS + 120_000, receiver))
  await storeTimers(service, comingTimers(now, receiver.url))
  await sleep(WARM_UP_MS)
  const browser = await launchChromium()
  for (const shot of SHOTS) if (ONLY === undefined || ONLY === shot.name) await take(browser, service.url, shot)
  await browser.close()
} finally {
  await service.stop()
  receiver.stop()
  rmSync(cwd, { recursive: true, force: true })
}
