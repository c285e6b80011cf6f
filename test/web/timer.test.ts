// The page of one timer: what it says, and what can be done there.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { needsBrowser } from '../support/browser.ts'
import { accepted } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { OK } from '../support/receiver.ts'
import { inMs, setup } from './web-page.fixture.ts'

const HOUR = 3_600_000

test('a timer that is not there is told apart from a service that is not there', needsBrowser, async (t) => {
  const { service, open } = await setup(t)
  const page = await open('/timers/default/nobody')
  await page.getByRole('alert').getByText('No such timer').waitFor()
  await service.stop()
  await page.getByRole('alert').filter({ hasText: 'Disconnected' }).waitFor()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('alert').getByText('The service does not answer').waitFor()
})

test('an id may be any text', needsBrowser, async (t) => {
  const { client, receiver, open } = await setup(t)
  const id = 'a/b c?d=é#<b>%2F'
  await accepted(client.create({ namespace: 'odd', id, executeAt: inMs(HOUR), callbackUrl: receiver.url }))
  const page = await open('/timers')
  await page.getByRole('link', { name: id }).click()
  await page.getByRole('heading', { name: id }).waitFor()
  await page.getByText('Fires in').waitFor()
})

test('the countdown ends in how late it fired, without a reload', needsBrowser, async (t) => {
  const { client, receiver, open } = await setup(t)
  await accepted(client.create({ id: 'soon', executeAt: inMs(10_000), callbackUrl: receiver.url, payload: { n: 1 } }))
  const page = await open('/timers/default/soon')
  await page.getByText('Fires in').waitFor()
  const face = page.locator('.countdown-face')
  const [first, second] = [await face.innerText(), await eventually('it counts', async () => face.innerText())]
  assert.match(first, /\d\.\d{3}/)
  assert.ok(Number.parseFloat(second) <= Number.parseFloat(first))
  await page.getByText(/^Fired (\d.* late|on the dot)$/).waitFor()
  await page.getByRole('list', { name: 'Timeline' }).getByText('HTTP 200').waitFor()
  await page.getByText('completed', { exact: true }).waitFor()
})

test('a failed timer shows every attempt with its error, and is retried', needsBrowser, async (t) => {
  let isBroken = true
  const { client, receiver, open } = await setup(t, {
    answering: () => (isBroken ? { status: 503, body: { ok: false } } : OK),
  })
  await accepted(
    client.create({
      id: 'broken',
      schedule: 'PT1S',
      callbackUrl: receiver.url,
      retryPolicy: { maxRetries: 1, initialInterval: '100ms' },
    }),
  )
  const page = await open('/timers/default/broken')
  await page.getByText('Failed after 2 attempts').waitFor()
  const timeline = page.getByRole('list', { name: 'Timeline' })
  assert.equal(await timeline.getByText('HTTP 503').count(), 2)
  await timeline.getByText('Failed for good').waitFor()
  isBroken = false
  await page.getByRole('button', { name: 'Retry', exact: true }).click()
  await page.getByText('completed', { exact: true }).waitFor()
})

test('it is triggered, paused, resumed, and canceled once one is sure', needsBrowser, async (t) => {
  const { client, receiver, open } = await setup(t)
  for (const id of ['a', 'b']) await accepted(client.create({ id, executeAt: inMs(HOUR), callbackUrl: receiver.url }))
  const page = await open('/timers/default/a')
  await page.getByRole('button', { name: 'Trigger now' }).click()
  await receiver.received('a')
  await page.getByText('completed', { exact: true }).waitFor()

  await page.goto(page.url().replace(/a$/, 'b'))
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('It does not fire until it is resumed.').waitFor()
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByText('Fires in').waitFor()
  await page.getByRole('button', { name: 'Cancel timer' }).click()
  await page.keyboard.press('Escape')
  assert.equal((await accepted(client.get({ timerId: 'b' }))).status, 'pending')
  await page.getByRole('button', { name: 'Cancel timer' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel timer' }).click()
  await page.getByText('It never fires.').waitFor()
  assert.equal((await accepted(client.get({ timerId: 'b' }))).status, 'canceled')
})

test(
  'time and payload are edited; what somebody else changed meanwhile is not overwritten',
  needsBrowser,
  async (t) => {
    const { client, receiver, open } = await setup(t)
    await accepted(client.create({ id: 'a', executeAt: inMs(HOUR), callbackUrl: receiver.url, payload: { n: 1 } }))
    const page = await open('/timers/default/a')
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Edit' }).click()
    await dialog.getByLabel('Payload', { exact: true }).fill('{"n": ')
    await dialog.getByText(/Not JSON: .*line 1/).waitFor()
    assert.ok(await dialog.getByRole('button', { name: 'Save changes' }).isDisabled())
    await dialog.getByLabel('Payload', { exact: true }).fill('{"n": 2}')
    await dialog.getByLabel('Date and time').fill('2040-05-06T07:08:09')
    await dialog.getByText('06 May 2040, 07:08:09').or(dialog.getByText('6 May 2040, 07:08:09')).first().waitFor()
    await dialog.getByText('2040-05-06 05:08:09.000 UTC').waitFor()
    await dialog.getByRole('button', { name: 'Save changes' }).click()
    await dialog.waitFor({ state: 'detached' })
    const changed = await accepted(client.get({ timerId: 'a' }))
    assert.deepEqual([changed.executeAt, changed.payload, changed.version], ['2040-05-06T05:08:09.000Z', { n: 2 }, 2])

    await page.getByText('(version 2)').waitFor()
    await page.getByRole('button', { name: 'Edit' }).click()
    await accepted(client.update({ timerId: 'a' }, { payload: { n: 'theirs' } }))
    await dialog.getByLabel('Payload', { exact: true }).fill('{"n": "mine"}')
    await dialog.getByRole('button', { name: 'Save changes' }).click()
    await dialog.getByText('This timer was changed meanwhile').waitFor()
    assert.deepEqual((await accepted(client.get({ timerId: 'a' }))).payload, { n: 'theirs' })
    await dialog.getByRole('button', { name: 'Reload' }).click()
    await page.getByLabel('Payload', { exact: true }).getByText('theirs').waitFor()
  },
)

test(
  'callback, headers, retries and timeout are edited, and hidden header values stay what they are',
  needsBrowser,
  async (t) => {
    const { client, receiver, service, open } = await setup(t)
    const callback = { type: 'http', url: receiver.url, headers: { Authorization: 'Bearer abc', 'X-Team': 'a' } }
    await accepted(client.create({ id: 'a', executeAt: inMs(HOUR), callback, retryPolicy: { maxRetries: 2 } }))
    const page = await open('/timers/default/a')
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Edit' }).click()
    await dialog.getByLabel('Callback URL').fill('')
    assert.ok(await dialog.getByRole('button', { name: 'Save changes' }).isDisabled())
    await dialog.getByLabel('Callback URL').fill(`${receiver.url}?new`)
    await dialog.getByLabel('header 2 value').fill('b')
    await dialog.getByText('Retries and timeout').click()
    assert.equal(await dialog.getByLabel('Retries', { exact: true }).inputValue(), '2')
    await dialog.getByLabel('Retries', { exact: true }).fill('7')
    await dialog.getByLabel('Timeout of a delivery').fill('5s')
    await dialog.getByRole('button', { name: 'Save changes' }).click()
    await dialog.waitFor({ state: 'detached' })
    const shown = await fetch(`${service.url}/api/v1/timers/get`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ timerId: 'a', includeSecrets: true }),
    })
    const timer = (await shown.json()) as Record<string, unknown> & { readonly retryPolicy: Record<string, unknown> }
    assert.deepEqual(timer['callback'], {
      type: 'http',
      url: `${receiver.url}?new`,
      headers: { Authorization: 'Bearer abc', 'X-Team': 'b' },
    })
    assert.deepEqual(
      [timer.retryPolicy['maxRetries'], timer.retryPolicy['initialInterval'], timer['callbackTimeout']],
      [7, '30s', '5s'],
    )
  },
)

test('a failed timer is mended and retried, and its attempts stay', needsBrowser, async (t) => {
  const { client, receiver, open } = await setup(t, {
    answering: ({ body }) => (body.payload === 'mended' ? OK : { status: 503 }),
  })
  await accepted(
    client.create({
      id: 'a',
      schedule: 'PT1S',
      callbackUrl: receiver.url,
      payload: 'broken',
      retryPolicy: { maxRetries: 0 },
    }),
  )
  const page = await open('/timers/default/a')
  await page.getByText('Failed after 1 attempt').waitFor()
  await page.getByRole('button', { name: 'Edit and retry' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Payload', { exact: true }).fill('"mended"')
  await dialog.getByRole('button', { name: 'Save and retry' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByText('completed', { exact: true }).waitFor()
  const timeline = page.getByRole('list', { name: 'Timeline' })
  await timeline.getByText('HTTP 503').waitFor()
  await timeline.getByText('HTTP 200').waitFor()
})

test(
  'a timer is duplicated: the form of a new one is filled with it, hidden values included',
  needsBrowser,
  async (t) => {
    const { client, receiver, open } = await setup(t)
    const callback = { type: 'http', url: receiver.url, headers: { Authorization: 'Bearer abc' } }
    const old = {
      namespace: 'n',
      id: 'old',
      schedule: 'PT1S',
      payload: { n: 1 },
      metadata: { team: 'x' },
      callback,
      retryPolicy: { maxRetries: 9 },
    }
    await accepted(client.create(old))
    await receiver.received('old')
    const page = await open('/timers/n/old')
    await page.getByText('completed', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Duplicate' }).click()
    await page.getByRole('heading', { name: 'New timer' }).waitFor()
    await page.getByLabel('Id', { exact: true }).fill('copy')
    await page.getByRole('button', { name: 'Create timer' }).click()
    await page.getByRole('heading', { name: 'copy' }).waitFor()
    const { headers, body } = await receiver.received('copy')
    assert.deepEqual([headers['authorization'], body.payload, body.namespace], ['Bearer abc', { n: 1 }, 'n'])
    const copy = (await accepted(client.get({ timerId: 'copy', namespace: 'n' }))) as unknown as Record<
      string,
      Record<string, unknown>
    >
    assert.deepEqual([copy['metadata'], copy['retryPolicy']!['maxRetries']], [{ team: 'x' }, 9])
  },
)

test('copied as curl it makes the same timer again', needsBrowser, async (t) => {
  const { service, client, receiver, open } = await setup(t)
  const payload = { text: 'it\'s "quoted"' }
  await accepted(
    client.create({
      namespace: 'n',
      id: 'a',
      executeAt: inMs(HOUR),
      callbackUrl: receiver.url,
      payload,
      metadata: { team: 'x' },
    }),
  )
  const page = await open('/timers/n/a', { permissions: ['clipboard-read', 'clipboard-write'] })
  await page.getByText('Copy as').click()
  await page.getByRole('button', { name: 'curl' }).click()
  await page.getByText('Copied as curl').waitFor()
  const text = await page.evaluate<string>('navigator.clipboard.readText()')
  const body = JSON.parse(/-d '([^]*)'$/.exec(text)![1]!.replaceAll(String.raw`'\''`, "'")) as Record<string, unknown>
  assert.ok(text.startsWith(`curl '${service.url}/api/v1/timers/create'`))
  const again = await accepted(client.create({ ...body, id: 'b' }))
  assert.deepEqual([again.payload, again.namespace], [payload, 'n'])
  await page.getByText('Copy as').click()
  await page.getByRole('button', { name: 'TypeScript' }).click()
  await page.getByText('Copied as TypeScript').waitFor()
  assert.match(
    await page.evaluate<string>('navigator.clipboard.readText()'),
    /new Duetime\(\{ url: .*\n *await client\.create\(\{\n {2}namespace: "n"/,
  )
})
