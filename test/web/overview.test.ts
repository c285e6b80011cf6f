// The overview: live while things fire, honest while nothing does, and calm when the service is away.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { needsBrowser, openPage } from '../support/browser.ts'
import { cleanUp } from '../support/cleanup.ts'
import { accepted } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { FAILING, OK } from '../support/receiver.ts'
import { Service } from '../support/service.ts'
import { tempDir } from '../support/temp-dir.ts'
import { storeTimers } from './store-timers.ts'
import { inMs, setup } from './web-page.fixture.ts'

const tile = (page: Page, label: string) => page.locator('.tile').filter({ hasText: label })
const isLive = (page: Page) => page.locator('.pulse[data-state=live]').waitFor()

test('a service that has done nothing says so instead of showing zeros as facts', needsBrowser, async (t) => {
  const { open } = await setup(t)
  const page = await open()
  await isLive(page)
  await page.getByText('Nothing has fired since you came.').waitFor()
  await tile(page, 'Success').getByText('no attempts yet').waitFor()
  await page.getByRole('img', { name: 'Forecast: nothing is due in this time' }).waitFor()
  await page.getByRole('img', { name: 'Lateness of firings: none yet' }).waitFor()
})

test(
  'what fires shows without a reload: rate, success, lateness, counts and the attempts themselves',
  needsBrowser,
  async (t) => {
    const { client, service, receiver, open } = await setup(t, {
      answering: ({ body }) => (body.id.startsWith('bad') ? FAILING : OK),
    })
    const page = await open()
    await isLive(page)
    const requests: string[] = []
    page.on('request', (request) => requests.push(new URL(request.url()).pathname))
    await storeTimers(
      service,
      Array.from({ length: 9 }, (_, n) => ({
        id: `good-${n}`,
        executeAt: inMs(3_000 + n * 100),
        callbackUrl: receiver.url,
      })),
    )
    await accepted(
      client.create({ id: 'bad', executeAt: inMs(3_000), callbackUrl: receiver.url, retryPolicy: { maxRetries: 0 } }),
    )
    await page.getByRole('table', { name: 'Latest attempts' }).getByRole('link', { name: 'good-8' }).waitFor()
    await tile(page, 'Success').getByText('1 of 10 failed').waitFor()
    await tile(page, 'Failed').getByText('9 completed').waitFor()
    await page.getByRole('img', { name: /^Lateness of 10 firings/ }).waitFor()
    await page.getByRole('img', { name: /^Firings per second .* 1 failed attempts$/ }).waitFor()
    assert.ok(!requests.includes('/api/v1/overview'), 'it came over the live connection')
    await tile(page, 'Failed').getByRole('link').click()
    await page.getByRole('link', { name: 'bad', exact: true }).waitFor()
  },
)

test('the forecast marks the hot minute, tells it as a table, and leads to its timers', needsBrowser, async (t) => {
  const { service, receiver, open } = await setup(t)
  const minute = Math.ceil(Date.now() / 60_000) * 60_000 + 20 * 60_000
  const at = (ms: number) => new Date(minute + ms).toISOString()
  await storeTimers(
    service,
    Array.from({ length: 60 }, (_, n) => ({
      namespace: 'n',
      id: `crowd-${n}`,
      executeAt: at(n * 100),
      callbackUrl: receiver.url,
    })),
  )
  await storeTimers(service, [{ namespace: 'n', id: 'alone', executeAt: at(10 * 60_000), callbackUrl: receiver.url }])
  const page = await open()
  await page.getByText('61 timers due in the next hour').waitFor()
  const clock = new Intl.DateTimeFormat('en-GB', {
    timeZone: 'Europe/Berlin',
    hour: '2-digit',
    minute: '2-digit',
  }).format(minute)
  await page.getByText('Show as table: Forecast').click()
  await page
    .getByRole('region', { name: 'Forecast' })
    .getByRole('row', { name: `${clock} 60 (hot)` })
    .waitFor()
  await page
    .getByRole('list', { name: 'Hot spots' })
    .getByRole('link', { name: `${clock} 60` })
    .click()
  await page.getByRole('link', { name: 'crowd-0', exact: true }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'alone' }).count(), 0)
  await page.goBack()
  await page.getByRole('button', { name: 'Hours' }).click()
  await page.getByText('61 timers due in the next 48 hours').waitFor()
})

test('a namespace is looked at alone, and its name is in the URL', needsBrowser, async (t) => {
  const { service, receiver, open } = await setup(t)
  const timersOf = (namespace: string, count: number) =>
    Array.from({ length: count }, (_, n) => ({
      namespace,
      id: `t-${n}`,
      executeAt: inMs(3_600_000),
      callbackUrl: receiver.url,
    }))
  await storeTimers(service, [...timersOf('orders', 3), ...timersOf('billing', 2)])
  const page = await open()
  await tile(page, 'Pending').getByText('5', { exact: true }).waitFor()
  await page.getByLabel('Namespace', { exact: true }).selectOption('orders')
  await tile(page, 'Pending').getByText('3', { exact: true }).waitFor()
  assert.match(page.url(), /ns=orders/)
  await page.reload()
  await tile(page, 'Pending').getByText('3', { exact: true }).waitFor()
  await page.getByRole('navigation', { name: 'Pages', exact: true }).getByRole('link', { name: 'Timers' }).click()
  await page.getByText('3 stored in orders').waitFor()
})

test(
  'while the service is away a banner counts down and what was known stays, greyed; it comes back by itself',
  needsBrowser,
  async (t) => {
    const cwd = tempDir(t)
    const first = new Service({ cwd })
    cleanUp(t, () => first.kill())
    await first.listening
    const page = await openPage(t, `${first.url}/`)
    await isLive(page)
    await tile(page, 'Pending').getByText('0', { exact: true }).waitFor()
    await first.kill()
    const banner = page.getByRole('alert').filter({ hasText: 'Disconnected' })
    await banner.getByText(/Next try in \d+ s|Trying/).waitFor()
    await eventually('greyed', async () => (await page.locator('.stack.stale .tile').count()) > 0)
    assert.equal(await page.locator('.pulse').getAttribute('data-state'), 'lost')

    const second = new Service({ cwd, env: { PORT: new URL(first.url).port } })
    cleanUp(t, () => second.kill())
    await second.listening
    await isLive(page)
    await banner.waitFor({ state: 'detached' })
    await eventually('fresh', async () => (await page.locator('.stack.stale').count()) === 0)
  },
)
