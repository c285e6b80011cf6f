// The list of timers as one uses it: finding, sorting, paging, and acting on many at once.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { needsBrowser } from '../support/browser.ts'
import { accepted } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { FAILING, OK } from '../support/receiver.ts'
import { storeTimers } from './store-timers.ts'
import { inMs, setup } from './web-page.fixture.ts'

const HOUR = 3_600_000

function pendingTimers(count: number, callbackUrl: string, namespace = 'default'): object[] {
  return Array.from({ length: count }, (_, n) => ({
    namespace,
    id: `job-${String(n).padStart(4, '0')}`,
    executeAt: inMs(2 * HOUR + n * 1_000),
    callbackUrl,
    metadata: { team: n % 2 === 0 ? 'even' : 'odd', n },
  }))
}

const ids = (page: Page) => page.locator('table.timers tbody tr td.id a').allInnerTexts()
const rowOf = (page: Page, id: string) =>
  page.getByRole('row').filter({ has: page.getByRole('link', { name: id, exact: true }) })

/** The list asks again by itself, so that what it shows can be waited for. */
function shows(page: Page, expected: readonly string[]): Promise<true> {
  return eventually(
    `the list shows ${expected.join(', ')}`,
    async () => JSON.stringify(await ids(page)) === JSON.stringify(expected),
  )
}

test('a service without timers invites to make the first one', needsBrowser, async (t) => {
  const { open } = await setup(t)
  const page = await open('/timers')
  await page.getByText('No timers yet').waitFor()
  await page.getByRole('main').getByRole('link', { name: 'New timer' }).last().click()
  await page.getByRole('heading', { name: 'New timer' }).waitFor()
})

test(
  'a service that goes away leaves the rows where they are, says so, and they are fresh again when it is back',
  needsBrowser,
  async (t) => {
    const { service, receiver, open } = await setup(t)
    await storeTimers(service, pendingTimers(3, receiver.url))
    const page = await open('/timers')
    await rowOf(page, 'job-0001').waitFor()
    await page.route('**/api/**', (route) => route.abort('connectionrefused'))
    await page.getByRole('button', { name: 'failed' }).click()
    await page.getByRole('alert').getByText('The service does not answer').waitFor()
    assert.equal((await ids(page)).length, 3)
    assert.match((await page.locator('table.timers').getAttribute('class'))!, /stale/)
    await page.unroute('**/api/**')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('No timer matches').waitFor()
  },
)

test('an answer that takes longer than the refresh is waited for', needsBrowser, async (t) => {
  const { service, receiver, open } = await setup(t)
  await storeTimers(service, pendingTimers(1, receiver.url))
  const page = await open('/new')
  let asked = 0
  await page.route('**/api/v1/timers/list', async (route) => {
    asked++
    await sleep(7_000) // longer than the 5 s after which the list asks again
    await route.continue()
  })
  await page.goto(`${service.url}/#/timers`)
  await page.getByRole('status', { name: 'Loading timers' }).waitFor()
  await rowOf(page, 'job-0000').waitFor()
  assert.equal(asked, 1)
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})

test('search, status, metadata and due time narrow the list, and the URL says which', needsBrowser, async (t) => {
  const { service, client, receiver, open } = await setup(t)
  await storeTimers(service, pendingTimers(20, receiver.url))
  await accepted(client.create({ id: 'soon', executeAt: inMs(30 * 60_000), callbackUrl: receiver.url }))
  await accepted(client.pause({ timerId: 'job-0003' }))
  const page = await open('/timers')
  await page.getByLabel('Search by id').fill('job-001')
  await eventually('ten match', async () => (await ids(page)).length === 10)
  assert.match(page.url(), /q=job-001/)
  await page.getByRole('button', { name: 'Clear filters' }).click()

  await page.getByRole('button', { name: 'paused' }).click()
  await shows(page, ['job-0003'])
  await page.getByRole('button', { name: 'paused' }).click()

  await page.getByLabel('Metadata').fill('n=7')
  await shows(page, ['job-0007'])
  await page.getByLabel('Metadata').fill('')
  await eventually('all of them', async () => (await ids(page)).length === 21)

  await page.getByLabel('Due', { exact: true }).selectOption('hour')
  await shows(page, ['soon'])
  await page.reload()
  await shows(page, ['soon'])
  await page.goBack()
  await eventually('all are back', async () => (await ids(page)).length === 21)
})

test('pages and the order are part of the URL, and back goes back', needsBrowser, async (t) => {
  const { service, receiver, open } = await setup(t)
  await storeTimers(service, pendingTimers(120, receiver.url))
  const page = await open('/timers?sort=dueAt')
  await page.getByText('1–50 of 120').waitFor()
  assert.equal((await ids(page))[0], 'job-0000')
  await page.getByRole('button', { name: 'Next page' }).click()
  await page.getByText('51–100 of 120').waitFor()
  await page.getByRole('button', { name: 'Due' }).click()
  await eventually('the last first', async () => (await ids(page))[0] === 'job-0119')
  assert.match(page.url(), /sort=-dueAt/)
  await page.goBack()
  await page.getByText('51–100 of 120').waitFor()
  await page.getByLabel('Rows').selectOption('200')
  await page.getByText('1–120 of 120').waitFor()
})

test('ticked timers are paused, resumed and canceled, the last only when one is sure', needsBrowser, async (t) => {
  const { service, client, receiver, open } = await setup(t)
  await storeTimers(service, pendingTimers(4, receiver.url))
  const page = await open('/timers?sort=dueAt')
  const status = async (timerId: string) => (await accepted(client.get({ timerId }))).status
  await page.getByLabel('Select job-0000').check()
  await page.getByLabel('Select job-0001').check()
  const bar = page.getByRole('region', { name: 'Selected timers' })
  await bar.getByRole('button', { name: 'Pause' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Pause 2 timers' }).click()
  await page.getByText('Paused 2 timers.').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  assert.deepEqual(
    [await status('job-0000'), await status('job-0001'), await status('job-0002')],
    ['paused', 'paused', 'pending'],
  )

  await rowOf(page, 'job-0000').getByText('paused').waitFor()
  await page.getByLabel('Select job-0000').check()
  await bar.getByRole('button', { name: 'Resume' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Resume 1 timer' }).click()
  await page.getByText('Resumed 1 timer.').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()

  await page.getByLabel('Select all on this page').check()
  await bar.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Keep as is' }).click()
  assert.equal(await status('job-0002'), 'pending')
  await bar.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel 4 timers' }).click()
  await page.getByText('Canceled 4 timers.').waitFor()
  assert.equal(await status('job-0002'), 'canceled')
})

test('all that match are counted first and canceled then, far beyond the page', needsBrowser, async (t) => {
  const { service, client, receiver, open } = await setup(t)
  await storeTimers(service, pendingTimers(600, receiver.url, 'orders'))
  const page = await open('/timers?ns=orders&meta=team%3Deven')
  await page.getByText('1–50 of 300').waitFor()
  await page.getByLabel('Select all on this page').check()
  await page.getByRole('button', { name: 'Select all that match' }).click()
  await page.getByRole('region', { name: 'Selected timers' }).getByRole('button', { name: 'Cancel' }).click()
  await page.getByText('This will cancel 300 timers').waitFor()
  await page.getByRole('button', { name: 'Cancel 300 timers' }).click()
  await page.getByText('Canceled 300 timers.').waitFor()
  const [even, odd] = await Promise.all(
    ['job-0400', 'job-0401'].map((timerId) => accepted(client.get({ namespace: 'orders', timerId }))),
  )
  assert.deepEqual([even!.status, odd!.status], ['canceled', 'pending'])
})

test('failed timers are retried, and show that they were delivered', needsBrowser, async (t) => {
  let isBroken = true
  const { client, receiver, open } = await setup(t, { answering: () => (isBroken ? FAILING : OK) })
  await accepted(
    client.create({ id: 'broken', schedule: 'PT1S', callbackUrl: receiver.url, retryPolicy: { maxRetries: 0 } }),
  )
  const page = await open('/timers?status=failed')
  await rowOf(page, 'broken').waitFor()
  isBroken = false
  await page.getByLabel('Select broken').check()
  await page.getByRole('region', { name: 'Selected timers' }).getByRole('button', { name: 'Retry' }).click()
  await page.getByRole('button', { name: 'Retry 1 timer' }).click()
  await page.getByText('Retried 1 timer.').waitFor()
  await receiver.received('broken', 2)
  await eventually('delivered', async () => (await accepted(client.get({ timerId: 'broken' }))).status === 'completed')
})

test('what is exported can be imported again, and a row that is refused says why', needsBrowser, async (t) => {
  const { service, client, receiver, open } = await setup(t)
  await storeTimers(service, pendingTimers(1_205, receiver.url))
  const page = await open('/timers')
  const files: Record<string, string> = {}
  for (const format of ['csv', 'json', 'ndjson']) {
    await page.getByRole('button', { name: 'Export' }).click()
    await page.getByLabel('Format').selectOption(format)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('dialog').getByRole('button', { name: 'Export' }).click(),
    ])
    assert.match(download.suggestedFilename(), new RegExp(`^timers-.*\\.${format}$`))
    files[format] = readFileSync(await download.path(), 'utf8')
  }
  assert.equal((JSON.parse(files['json']!) as unknown[]).length, 1_205)
  assert.equal(files['ndjson']!.trim().split('\n').length, 1_205)
  assert.equal(files['csv']!.trim().split('\r\n').length, 1_206)

  await accepted(client.cancel({ timerId: 'job-0007' }))
  await page.getByRole('button', { name: 'Import' }).click()
  const broken = `${files['csv']!}default,late,pending,2001-01-01T00:00:00Z,,,${receiver.url}\r\n`
  await page
    .getByLabel('Choose a file')
    .setInputFiles({ name: 'timers.csv', mimeType: 'text/csv', buffer: Buffer.from(broken) })
  await page.getByRole('button', { name: 'Import 1,206 timers' }).click()
  await page.getByText('1 timer stored, 1,205 refused.').waitFor()
  await page.getByText('… and 1,005 more.').waitFor()
  assert.equal((await accepted(client.get({ timerId: 'job-0007' }))).status, 'pending')
  await page.getByRole('button', { name: 'Close' }).click()

  await page.getByRole('button', { name: 'Import' }).click()
  await page.getByLabel('Choose a file').setInputFiles({
    name: 'a.ndjson',
    mimeType: 'text/plain',
    buffer: Buffer.from(`{"id":"late","executeAt":"2001-01-01T00:00:00Z","callbackUrl":"${receiver.url}"}\nnonsense\n`),
  })
  await page.getByRole('button', { name: 'Import 2 timers' }).click()
  const faults = page.getByRole('region', { name: 'Refused rows' })
  await faults.getByText('in the future').waitFor()
  await faults.getByText('this line is not JSON').waitFor()
})
