// The overview while timers fire: it is drawn all the while, and how long its tasks took is printed. Times are judged where the
// machine is quiet, at the full scale: `node scripts/web-smoothness.ts`.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { needsBrowser } from '../support/browser.ts'
import { storeMany, watchFiring } from './smoothness.fixture.ts'
import { setup } from './web-page.fixture.ts'

test('the overview is drawn all the while when hundreds of timers fire every second', needsBrowser, async (t) => {
  const web = await setup(t)
  await storeMany(web, 20_000)
  const page = await web.open()
  await page.locator('.pulse[data-state=live]').waitFor()
  const seen = await watchFiring(page, web, { perSecond: 300, seconds: 8 })
  t.diagnostic(JSON.stringify(seen))
  assert.match(seen.shown, /[1-9]/, 'it did fire')
  assert.ok(seen.frames > 10, 'the page was drawn')
})
