// Schedules on the page: what can be said beside one, what is wrong with one, and the words for it, which are those of the API and
// of the command line.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { needsBrowser } from '../support/browser.ts'
import { cliFor } from '../support/cli.ts'
import { accepted } from '../support/client.ts'
import { setup } from './web-page.fixture.ts'

const ZONE = 'Europe/Berlin'

test(
  'the API, the command line, the form and the page of a timer have the same words for a schedule',
  needsBrowser,
  async (t) => {
    const { client, service, receiver, open } = await setup(t)
    const duetime = cliFor(service.url)
    const page = await open('/new', { timezoneId: ZONE })
    await page.getByRole('tab', { name: 'Cron or text' }).click()
    for (const [index, schedule] of [
      '0 9 * * MON-FRI',
      'R3/PT10M',
      'RRULE:FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=9',
      'every weekday at 9:00',
    ].entries()) {
      // oxfmt-ignore
      const sent = schedule.replace('every weekday at 9:00', '0 9 * * MON-FRI')
      const response = await fetch(`${service.url}/api/v1/timers/preview`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ schedule: sent, timeZone: ZONE }),
      })
      const { description } = (await response.json()) as { readonly description: string }
      const { out } = await duetime('preview', schedule, '--time-zone', ZONE)
      assert.equal(out.split('\n')[0], description)
      await page.getByLabel('Schedule', { exact: true }).fill(schedule)
      await page.locator('.preview-words').getByText(description, { exact: true }).waitFor()
      const id = `t-${index}`
      await accepted(client.create({ id, schedule: sent, timeZone: ZONE, callbackUrl: receiver.url }))
      const shown = await open(`/timers/default/${id}`)
      await shown.locator('.schedule-words').getByText(description, { exact: true }).waitFor()
    }
  },
)

test('an error is marked at the character that is wrong', needsBrowser, async (t) => {
  const { open } = await setup(t)
  const page = await open('/new')
  await page.getByRole('tab', { name: 'Cron or text' }).click()
  await page.getByLabel('Schedule', { exact: true }).fill('0 25 * * *')
  await page.getByText('character 3: the hour is 0 to 23, not 25').first().waitFor()
  assert.equal(await page.locator('.preview-place').textContent(), '0 25 * * *\n  ^')
})

test('what is said beside a schedule is previewed, stored and shown again', needsBrowser, async (t) => {
  const { client, receiver, open } = await setup(t)
  const page = await open('/new', { timezoneId: ZONE })
  await page.getByRole('tab', { name: 'Cron or text' }).click()
  await page.getByLabel('Schedule', { exact: true }).fill('30 2 * * *')
  await page.getByText('More about the schedule').click()
  await page.getByLabel('Not before').fill('2040-03-24T00:00')
  await page.getByLabel('Not after').fill('2041-01-01T00:00')
  await page.getByLabel('Most firings').fill('5')
  await page.getByLabel('Times that clocks skip').selectOption('skip')
  await page.getByLabel('Times that clocks show twice').selectOption('both')
  await page.getByLabel('Missed while the service was down').selectOption('max')
  await page.getByLabel('How many of them').fill('2')
  await page.getByLabel('Too late after').fill('1h')
  await page.getByLabel('When the last one is not over').selectOption('allow')
  const preview = page.getByRole('list', { name: 'Next firings' })
  await preview.getByText('26 Mar 2040, 02:30:00').waitFor()
  assert.equal(await preview.getByText('25 Mar 2040').count(), 0)
  await page.getByLabel('Spread').fill('30h')
  await page.getByText('spread is 1ms to 24h').first().waitFor()
  await page.getByLabel('Spread').fill('10m')
  await page.getByLabel('Callback URL').fill(receiver.url)
  await page.getByLabel('Id', { exact: true }).fill('a')
  await page.getByRole('button', { name: 'Create timer' }).click()
  await page.getByRole('heading', { name: 'a', exact: true }).waitFor()
  const timer = (await accepted(client.get({ timerId: 'a' }))) as unknown as Record<string, unknown>
  const { dst, startAt, endAt, maxFirings, spread, catchUp, maxLateness, overlap } = timer
  assert.deepEqual(
    { dst, startAt, endAt, maxFirings, spread, catchUp, maxLateness, overlap },
    {
      dst: { gap: 'skip', overlap: 'both' },
      startAt: '2040-03-23T23:00:00.000Z',
      endAt: '2040-12-31T23:00:00.000Z',
      maxFirings: 5,
      spread: '10m',
      catchUp: { max: 2 },
      maxLateness: '1h',
      overlap: 'allow',
    },
  )
})
