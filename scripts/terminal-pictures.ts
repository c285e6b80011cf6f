// The pictures of commands in docs/images: real commands in a real terminal on a real server with made-up timers, drawn
// by a browser.
//
//   node scripts/terminal-pictures.ts

import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { launchChromium } from '../test/support/chromium.ts'
import { freePort } from '../test/support/ports.ts'
import { FAILING, OK, Receiver } from '../test/support/receiver.ts'
import { Service } from '../test/support/service.ts'
import { storeTimers } from '../test/web/store-timers.ts'
import { comingTimers, firingTimers, namedTimers } from './screenshots/demo-timers.ts'
import { RecordedTerminal, prepareFolder } from './screenshots/recorded-terminal.ts'
import { screenHtml } from './screenshots/terminal-screen.ts'
import { windowHtml } from './screenshots/window-html.ts'

const ROOT = join(import.meta.dirname, '..')
const FOLDER = join(ROOT, 'docs', 'images')
const BYTES_MAX = 120_000
const FIRING_MS = 5_000
const RETRIED = 'invoice-2041-overdue'

const folder = mkdtempSync(join(realpathSync(tmpdir()), 'duetime-pictures-'))
const terminals: RecordedTerminal[] = []

function open(command: string, env?: Readonly<Record<string, string>>): RecordedTerminal {
  const terminal = new RecordedTerminal(command, folder, env)
  terminals.push(terminal)
  return terminal
}

type Picture = { readonly name: string; readonly output: string; readonly title?: string; readonly source?: string }

async function draw(browser: Browser, { name, output, title = 'Terminal', source }: Picture): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
  const program =
    source === undefined ? {} : { program: { name: source, source: readFileSync(join(ROOT, source), 'utf8') } }
  await page.setContent(windowHtml({ title, screen: screenHtml(output, RecordedTerminal.columns), ...program }))
  const file = join(FOLDER, `${name}.png`)
  await page.locator('.window').screenshot({ path: file, omitBackground: true })
  await page.close()
  const { size } = statSync(file)
  console.log(`${name}.png ${Math.round(size / 1_000)} kB${size > BYTES_MAX ? ' TOO LARGE' : ''}`)
  if (size > BYTES_MAX) process.exitCode = 1
}

async function commands(browser: Browser, service: Service, receiver: Receiver): Promise<void> {
  const env = { DUETIME_URL: service.url }
  const now = Date.now()
  const abandoned = {
    namespace: 'sessions',
    id: 'kiosk-4',
    schedule: 'PT1S',
    callbackUrl: receiver.url,
    retryPolicy: { maxRetries: 0 },
  }
  // Those that are not called while we look may name a server that does not exist.
  const elsewhere = { callbackUrl: 'https://shop.example/hook' }
  const named = namedTimers(now, receiver).map((timer) =>
    timer['id'] === RETRIED ? timer : { ...timer, ...elsewhere },
  )
  await storeTimers(service, [...named, abandoned])
  await receiver.received('kiosk-4')
  await receiver.received(RETRIED)
  await draw(browser, { name: 'cli-list', output: await open('duetime list -n "*"', env).end() })
  await storeTimers(service, [...firingTimers(Date.now(), FIRING_MS, receiver), ...comingTimers(now, receiver.url)])
  const last = {
    namespace: 'orders',
    id: 'last',
    executeAt: new Date(Date.now() + FIRING_MS).toISOString(),
    callbackUrl: receiver.url,
  }
  await storeTimers(service, [last])
  await receiver.received('last')
  // So many minutes that a crowded quarter of an hour is among them, whenever this runs.
  await draw(browser, { name: 'cli-stats', output: await open('duetime stats --steps 24', env).end() })
  const doctor = open('duetime doctor', { PORT: new URL(service.url).port })
  await draw(browser, { name: 'cli-doctor', output: await doctor.end() })
}

async function dev(browser: Browser): Promise<void> {
  const terminal = open('duetime dev --port 0 --sink-port 0')
  const [, url = ''] = await terminal.shows(/development: (http:\S+)/)
  const [, sink = ''] = await terminal.shows(/Callbacks to (http:\S+)/)
  await terminal.shows(/duetime> /)
  await storeTimers({ url }, [
    { id: 'hello', schedule: 'P3D', callbackUrl: `${sink}/hook`, payload: { to: 'you' } },
    { id: 'nightly', schedule: 'R/P1D', callbackUrl: `${sink}/nightly` },
  ])
  terminal.type('list\r')
  await terminal.shows(/nightly[^\n]*\n[^\n]*hello[^\n]*\n[^\n]*duetime> /)
  terminal.type('advance 3d\r')
  await terminal.shows(/deliveries on the way[^\n]*\n[^\n]*duetime> /)
  terminal.type('quit\r')
  const output = await terminal.end()
  // From the prompt on: the guide has the banner above it as text.
  await draw(browser, { name: 'dev', title: 'duetime dev', output: output.slice(output.indexOf('duetime> ')) })
}

async function example(
  browser: Browser,
  name: string,
  fired: RegExp,
  env?: Readonly<Record<string, string>>,
): Promise<void> {
  const path = `examples/${name}.ts`
  const terminal = open(`node ${path}`, env)
  await terminal.shows(fired)
  terminal.interrupt()
  await draw(browser, { name, output: await terminal.end(), source: path })
}

mkdirSync(FOLDER, { recursive: true })
prepareFolder(folder)
const receiver = await new Receiver(({ body: { id, attempt } }) => {
  if (id === 'kiosk-4') return FAILING
  return id === RETRIED && attempt < 4 ? { status: 503, body: { ok: false } } : OK
}).start()
const service = new Service({ cwd: folder })
const browser = await launchChromium()
try {
  await service.listening
  await commands(browser, service, receiver)
  await dev(browser)
  await example(browser, 'embedded', /attempt 1\)/)
  await example(browser, 'sdk', /attempt 1\)/, { DUETIME_URL: service.url, PORT: String(await freePort()) })
} finally {
  for (const terminal of terminals) terminal.kill()
  await browser.close()
  await service.stop()
  receiver.stop()
  rmSync(folder, { recursive: true, force: true })
}
