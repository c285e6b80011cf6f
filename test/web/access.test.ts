// The page where keys are needed: it asks for one, keeps it no longer than wanted, and explains what a key may not do.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { needsBrowser, openPage } from '../support/browser.ts'
import { runToEnd, startService } from '../support/service.ts'
import { tempDir } from '../support/temp-dir.ts'
import { inMs } from './web-page.fixture.ts'

async function withKeys(t: TestContext, ...flags: readonly (readonly string[])[]) {
  const cwd = tempDir(t)
  const keys: string[] = []
  for (const [index, one] of flags.entries()) {
    const { output } = await runToEnd(['keys', 'create', '--file', 'keys.json', '--name', `key-${index}`, ...one], {
      cwd,
    })
    keys.push(/dtk_\S+/.exec(output)![0])
  }
  const service = await startService(t, { cwd, env: { KEYS_FILE: 'keys.json', HOST: '127.0.0.1' } })
  return { service, keys }
}

test(
  'without a key the page asks for one; a wrong one is told apart from none, a right one opens it',
  needsBrowser,
  async (t) => {
    const { service, keys } = await withKeys(t, [])
    const page = await openPage(t, `${service.url}/#/timers`)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.getByLabel('API key').fill('dtk_wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('The service does not know this key.').waitFor()
    await page.getByLabel('API key').fill(keys[0]!)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('No timers yet').waitFor()
    await page.locator('.pulse[data-state=live]').waitFor()

    // It is this tab's: another one has to ask again, a reload has not.
    await page.reload()
    await page.getByText('No timers yet').waitFor()
    const other = await page.context().newPage()
    await other.goto(service.url)
    await other.getByRole('heading', { name: 'Sign in' }).waitFor()
    await other.getByLabel('API key').fill(keys[0]!)
    await other.getByLabel('Remember on this device').check()
    await other.getByRole('button', { name: 'Sign in' }).click()
    await other.locator('.pulse[data-state=live]').waitFor()
    const third = await page.context().newPage()
    await third.goto(service.url)
    await third.locator('.pulse[data-state=live]').waitFor()
    await third.getByRole('button', { name: 'Sign out' }).click()
    await third.getByRole('heading', { name: 'Sign in' }).waitFor()
    assert.equal(
      await third.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }]).includes('dtk_')"),
      false,
    )
  },
)

test('what a key may not do is explained, and what it may do goes on', needsBrowser, async (t) => {
  const { service, keys } = await withKeys(
    t,
    ['--permission', 'timer:read', '--namespace', 'orders'],
    ['--namespace', 'orders'],
  )
  const body = { namespace: 'orders', id: 'a', executeAt: inMs(3_600_000), callbackUrl: 'https://example.com/hook' }
  const headers = { 'content-type': 'application/json', 'x-api-key': keys[1]! }
  assert.equal(
    (await fetch(`${service.url}/api/v1/timers/create`, { method: 'POST', headers, body: JSON.stringify(body) }))
      .status,
    200,
  )
  const page = await openPage(t, `${service.url}/#/timers/orders/a`)
  await page.getByLabel('API key').fill(keys[0]!)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('Fires in').waitFor()
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('It takes the permission timer').waitFor()
  await page.goto(`${service.url}/#/timers?ns=billing`)
  await page.getByRole('alert').getByText('This key may not do that').waitFor()
  await page.goto(`${service.url}/#/timers`)
  await page.getByRole('link', { name: 'a', exact: true }).waitFor()
  await page.goto(`${service.url}/#/`)
  await page.locator('.tile').filter({ hasText: 'Pending' }).getByText('1', { exact: true }).waitFor()
})

test('a key that asks too often is told when to come back', needsBrowser, async (t) => {
  const { service, keys } = await withKeys(t, ['--rate', '0.01'])
  const page = await openPage(t, `${service.url}/#/timers`)
  await page.getByLabel('API key').fill(keys[0]!)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').getByText('Too many requests').first().waitFor()
  await page
    .getByText(/Try again in \d+ (s|min)/)
    .first()
    .waitFor()
})
