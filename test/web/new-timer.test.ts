// Making a timer: what the form says before it is stored, and what it makes.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { needsBrowser } from '../support/browser.ts'
import { accepted } from '../support/client.ts'
import { OK } from '../support/receiver.ts'
import { inMs, setup } from './web-page.fixture.ts'

const HOUR = 3_600_000

test('a form that is not complete says what is missing, and stores nothing', needsBrowser, async (t) => {
  const { client, open } = await setup(t)
  const page = await open('/new')
  await page.getByLabel('Id', { exact: true }).fill('a')
  await page.getByRole('button', { name: 'Create timer' }).click()
  await page.getByText('Enter the callback URL').waitFor()
  await page.getByLabel('Callback URL').fill('example.com')
  await page.getByRole('button', { name: 'Create timer' }).click()
  await page.getByRole('alert').getByText('must be an absolute http or https URL').waitFor()
  await page.getByRole('textbox', { name: 'After' }).fill('none')
  await page.getByText('Give a whole number of units').first().waitFor()
  const answer = await client.get({ timerId: 'a' })
  assert.equal(answer.type === 'refused' && answer.status, 404)
})

test('an id that is taken is refused, not replaced', needsBrowser, async (t) => {
  const { client, receiver, open } = await setup(t)
  await accepted(client.create({ id: 'a', executeAt: inMs(HOUR), callbackUrl: receiver.url, payload: 'first' }))
  const page = await open('/new')
  await page.getByLabel('Id', { exact: true }).fill('a')
  await page.getByLabel('Callback URL').fill(receiver.url)
  await page.getByRole('button', { name: 'Create timer' }).click()
  await page.getByRole('alert').getByText('exists already').waitFor()
  assert.equal((await accepted(client.get({ timerId: 'a' }))).payload, 'first')
})

test('the next firings are shown in the viewer’s zone and in UTC while one types', needsBrowser, async (t) => {
  const { open } = await setup(t)
  const page = await open('/new')
  const preview = page.getByRole('list', { name: 'Next firings' })
  await preview.getByText('in 9 min').waitFor()
  await page.getByRole('tab', { name: 'At', exact: true }).click()
  await page.getByLabel('Date and time').fill('2001-01-01T00:00')
  await page.getByText('must be in the future').waitFor()
  await page.getByLabel('Date and time').fill('2040-07-01T09:00')
  await preview.getByText('1 Jul 2040, 09:00:00').waitFor()
  await preview.getByText('2040-07-01 07:00:00.000 UTC').waitFor()

  // The clocks of Berlin change on 25 March 2040: a daily timer stays at nine.
  await page.getByRole('tab', { name: 'Cycle' }).click()
  await page.getByLabel('Every', { exact: true }).fill('1')
  await page.getByLabel('Every: unit').selectOption('day')
  await page.getByLabel('How many times').fill('3')
  await page.getByLabel('First firing').fill('2040-03-24T09:00')
  await preview.getByText('26 Mar 2040, 09:00:00').waitFor()
  await preview.getByText('2040-03-24 08:00:00.000 UTC').waitFor()
  await preview.getByText('2040-03-25 07:00:00.000 UTC').waitFor()
  assert.equal(await preview.locator('.preview-local').count(), 3)
})

test('the callback tester shows what the receiver answered, and why a delivery would fail', needsBrowser, async (t) => {
  let isBroken = false
  const { receiver, open } = await setup(t, {
    answering: () => (isBroken ? { status: 500, body: { oops: 'no such hook' } } : OK),
  })
  const page = await open('/new')
  await page.getByLabel('Callback URL').fill(receiver.url)
  await page.getByLabel('Payload', { exact: true }).fill('{"n": 1}')
  await page.getByRole('button', { name: 'Send a test delivery' }).click()
  await page.getByText('HTTP 200').waitFor()
  await page.getByLabel('Answer of the receiver').getByText('{"ok":true}').waitFor()
  assert.deepEqual(receiver.deliveries[0]!.body.payload, { n: 1 })
  isBroken = true
  await page.getByRole('button', { name: 'Send a test delivery' }).click()
  await page.getByLabel('Answer of the receiver').getByText('no such hook').waitFor()
  await page.getByText('failed', { exact: true }).waitFor()
})

test('what was filled in is what is stored, and its page is next', needsBrowser, async (t) => {
  const { client, receiver, open } = await setup(t)
  const page = await open('/new?ns=orders')
  await page.getByRole('tab', { name: 'Cycle' }).click()
  await page.getByLabel('Every', { exact: true }).fill('90')
  await page.getByLabel('Every: unit').selectOption('second')
  await page.getByLabel('How many times').fill('5')
  await page.getByLabel('Callback URL').fill(receiver.url)
  await page.getByRole('button', { name: 'Add header' }).click()
  await page.getByLabel('header 1 name').fill('Authorization')
  await page.getByLabel('header 1 value').fill('Bearer s3cret')
  await page.getByLabel('Payload', { exact: true }).fill('{"a": [1, null]}')
  await page.getByLabel('Id', { exact: true }).fill('nightly')
  await page.getByText('Retries, timeout, metadata').click()
  await page.getByLabel('Retries', { exact: true }).fill('7')
  await page.getByLabel('Timeout of a delivery').fill('5s')
  await page.getByLabel('Metadata', { exact: true }).fill('{"team": "x"}')
  await page.getByRole('button', { name: 'Create timer' }).click()
  await page.getByRole('heading', { name: 'nightly' }).waitFor()
  await page.getByText('Iteration 1 fires in').waitFor()
  await page.getByText('every 90 seconds, 5 times').waitFor()
  const timer = (await accepted(client.get({ namespace: 'orders', timerId: 'nightly' }))) as unknown as Record<
    string,
    unknown
  >
  assert.deepEqual(
    [
      timer['schedule'],
      timer['payload'],
      timer['metadata'],
      timer['callbackTimeout'],
      (timer['retryPolicy'] as { maxRetries: number }).maxRetries,
    ],
    ['R5/PT90S', { a: [1, null] }, { team: 'x' }, '5s', 7],
  )
  assert.ok(!(await page.content()).includes('s3cret'))
})

test('a timer made with the keyboard alone fires', needsBrowser, async (t) => {
  const { receiver, open } = await setup(t)
  const page = await open('/')
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.keyboard.press('n')
  await page.getByRole('heading', { name: 'New timer' }).waitFor()
  await page.getByRole('textbox', { name: 'After' }).focus()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type('1')
  await page.keyboard.press('Tab')
  await page.keyboard.press('s')
  await page.getByLabel('Callback URL').focus()
  await page.keyboard.type(receiver.url)
  await page.keyboard.press('Enter')
  await page.getByText(/^Fired (\d.* late|on the dot)$/).waitFor()
  assert.equal(receiver.deliveries.length, 1)
})

test('a NATS subject can have a key', needsBrowser, async (t) => {
  const { open } = await setup(t)
  const page = await open('/new')
  await page.getByRole('button', { name: 'NATS' }).click()
  await page.getByLabel('Id', { exact: true }).fill('a')
  await page.getByLabel('NATS subject').fill('orders.reminders')
  await page.getByLabel('Key', { exact: true }).fill('order-1001')
  const sent = page.waitForRequest(/\/create$/)
  await page.getByRole('button', { name: 'Create timer' }).click()
  const { callback } = (await sent).postDataJSON() as { callback: unknown }
  assert.deepEqual(callback, { type: 'nats', topic: 'orders.reminders', key: 'order-1001' })
})
