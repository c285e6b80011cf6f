// Every page and dialog under axe, in both themes and on a small screen; and the keyboard.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { needsBrowser } from '../support/browser.ts'
import { accepted } from '../support/client.ts'
import { FAILING } from '../support/receiver.ts'
import { storeTimers } from './store-timers.ts'
import { assertAccessible, inMs, setup } from './web-page.fixture.ts'
import type { Web } from './web-page.fixture.ts'

async function filled(web: Web): Promise<void> {
  const { client, service, receiver } = web
  await storeTimers(
    service,
    Array.from({ length: 60 }, (_, n) => ({
      id: `job-${n}`,
      executeAt: inMs(1_800_000 + n * 20),
      callbackUrl: receiver.url,
    })),
  )
  await accepted(
    client.create({
      id: 'broken',
      schedule: 'PT1S',
      callbackUrl: receiver.url,
      payload: { n: 1 },
      metadata: { team: 'x' },
      retryPolicy: { maxRetries: 0 },
    }),
  )
  await receiver.received('broken')
}

const THEMES = [
  { name: 'light', options: { colorScheme: 'light' as const } },
  { name: 'dark', options: { colorScheme: 'dark' as const } },
  { name: 'small', options: { viewport: { width: 360, height: 700 } } },
] as const

const PAGES: readonly (readonly [string, (page: Page) => Promise<unknown>])[] = [
  ['/', (page) => page.getByRole('img', { name: /^Forecast: 60/ }).waitFor()],
  ['/timers', (page) => page.getByText('1–50 of 61').waitFor()],
  ['/timers/default/broken', (page) => page.getByText('Failed after 1 attempt').waitFor()],
  ['/timers/default/job-1', (page) => page.getByText('Fires in').waitFor()],
  ['/timers/default/nobody', (page) => page.getByText('No such timer').waitFor()],
  ['/new', (page) => page.getByText('Your zone').waitFor()],
  ['/new?ns=default&from=broken', (page) => page.getByText('Your zone').waitFor()],
  ['/nowhere', (page) => page.getByText('There is no such page').waitFor()],
]

for (const { name, options } of THEMES) {
  test(`every page passes axe: ${name}`, needsBrowser, async (t) => {
    const web = await setup(t, { answering: () => FAILING })
    await filled(web)
    const page = await web.open('/', options)
    for (const [path, isThere] of PAGES) {
      await page.goto(`${web.service.url}/#${path}`)
      await isThere(page)
      await assertAccessible(page, `${path} (${name})`)
      const overflow = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      )
      assert.equal(overflow, 0, `${path} (${name}) scrolls sideways`)
    }
  })
}

test('every dialog passes axe, closes with Escape, and gives the focus back', needsBrowser, async (t) => {
  const web = await setup(t, { answering: () => FAILING })
  await filled(web)
  const page = await web.open('/timers')
  await page.getByText('1–50 of 61').waitFor()
  const isFresh = () => page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
  const inDialog = async (opener: string) => {
    await page.getByRole('button', { name: opener, exact: true }).click()
    await page.getByRole('dialog').waitFor()
    await isFresh()
    await assertAccessible(page, `the dialog of ${opener}`)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const focused = await page.evaluate(
      "document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent",
    )
    assert.equal(focused, opener)
  }
  await inDialog('Export')
  await inDialog('Import')
  await inDialog('Keyboard shortcuts')
  await page.getByLabel('Select job-59').check()
  await inDialog('Cancel')
  await page.goto(`${web.service.url}/#/timers/default/job-1`)
  await inDialog('Edit')
  await inDialog('Cancel timer')
  await page.goto(`${web.service.url}/#/timers/default/broken`)
  await inDialog('Edit and retry')
})

test('the keyboard goes everywhere: letters, slash, question mark, Tab', needsBrowser, async (t) => {
  const { open } = await setup(t)
  const page = await open()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('t')
  await page.getByRole('heading', { name: 'Timers', exact: true }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('o')
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.keyboard.press('/')
  await page.getByLabel('Search by id').waitFor()
  await page.locator('#search:focus').waitFor()
  // Typed into a field, a letter is a letter.
  await page.keyboard.type('n')
  assert.equal(await page.getByLabel('Search by id').inputValue(), 'n')
  await page.waitForURL(/q=n/)

  await page.goto(page.url().replace(/#.*/, '#/'))
  await page.reload()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.keyboard.press('Tab')
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to content')
  await page.keyboard.press('Enter')
  assert.equal(await page.evaluate('document.activeElement.id'), 'main')
})

test('the theme is the system’s until one chooses, and the choice is kept', needsBrowser, async (t) => {
  const { open } = await setup(t)
  const page = await open('/', { colorScheme: 'dark' })
  const background = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor')
  const dark = await background()
  await page.getByRole('button', { name: 'Use light colours' }).click()
  assert.notEqual(await background(), dark)
  await page.reload()
  await page.getByRole('button', { name: 'Use dark colours' }).click()
  assert.equal(await background(), dark)
})
