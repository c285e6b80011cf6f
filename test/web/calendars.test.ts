// Calendars in a real browser: made, corrected, followed by a new timer, changed and deleted.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { needsBrowser } from '../support/browser.ts'
import { assertAccessible, setup } from './web-page.fixture.ts'

test(
  'a calendar is made where the page says what is wrong, and is listed, changed and deleted',
  needsBrowser,
  async (t) => {
    const { open, service } = await setup(t)
    const page = await open('/calendars?ns=shop')
    await page.getByText('No calendars yet').waitFor()
    await page.getByRole('button', { name: 'New calendar' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('holidays')
    await dialog.getByLabel('Time zone').fill('Europe/Berlin')
    const excluded = dialog.getByLabel('Nothing fires on or at')
    await excluded.fill('--12-25\nchristmas')
    await dialog.getByRole('button', { name: 'Save calendar' }).click()
    await dialog.getByText('"christmas" is not an entry of a calendar').waitFor()
    assert.equal(await excluded.getAttribute('aria-invalid'), 'true')
    await assertAccessible(page, 'the form of a calendar with a fault')
    await excluded.fill('--12-25\n2030-12-24/2031-01-01')
    await dialog.getByRole('button', { name: 'Save calendar' }).click()
    const row = page.getByRole('row').filter({ hasText: 'holidays' })
    await row.getByText('--12-25, 2030-12-24/2031-01-01').waitFor()
    await assertAccessible(page, 'the page of calendars')

    await row.getByRole('button', { name: 'Edit holidays' }).click()
    await dialog.getByLabel('It fires only on or at').fill('MON-FRI 09:00-17:00')
    await dialog.getByRole('button', { name: 'Save calendar' }).click()
    await row.getByText('MON-FRI 09:00-17:00').waitFor()
    const stored = await fetch(`${service.url}/api/v1/calendars/holidays?namespace=shop`)
    assert.deepEqual(await stored.json(), {
      namespace: 'shop',
      name: 'holidays',
      timeZone: 'Europe/Berlin',
      exclude: ['--12-25', '2030-12-24/2031-01-01'],
      allow: ['MON-FRI 09:00-17:00'],
    })

    await row.getByRole('button', { name: 'Delete holidays' }).click()
    await page.getByText('as if they named none').waitFor()
    await page.getByRole('button', { name: 'Delete calendar' }).click()
    await page.getByText('No calendars yet').waitFor()
  },
)

test(
  'the form of a timer offers the calendars of its namespace, and shows what they do before it is made',
  needsBrowser,
  async (t) => {
    const { open, service } = await setup(t)
    const put = { method: 'PUT', headers: { 'content-type': 'application/json' }, body: '{"exclude":["SAT-SUN"]}' }
    assert.equal((await fetch(`${service.url}/api/v1/calendars/weekdays?namespace=shop`, put)).status, 200)
    const page = await open('/new?ns=shop')
    await page.getByRole('tab', { name: 'Cron or text' }).click()
    await page.getByLabel('Schedule', { exact: true }).fill('0 9 * * *')
    await page.getByLabel('Calendar', { exact: true }).selectOption('weekdays')
    await page.getByText('not when the calendar weekdays excludes it').waitFor()
    await page
      .getByText(/the calendar weekdays skips \d before it/)
      .first()
      .waitFor()
    await page.getByLabel('What it excludes').selectOption('move')
    await page.getByText('later when the calendar weekdays excludes it').waitFor()
    await page.getByLabel('Callback URL').fill('https://example.com/hook')
    await page.getByLabel('Id', { exact: true }).fill('report')
    await page.getByRole('button', { name: 'Create timer' }).click()
    await page.getByText('Timer created').waitFor()
    await page.getByText('later when the calendar weekdays excludes it').waitFor()
    const body = JSON.stringify({ namespace: 'shop', timerId: 'report' })
    const stored = await fetch(`${service.url}/api/v1/timers/get`, { ...put, method: 'POST', body })
    assert.deepEqual(((await stored.json()) as Record<string, unknown>)['calendar'], {
      name: 'weekdays',
      onExcluded: 'move',
    })
  },
)
