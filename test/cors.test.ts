// A page of another origin that uses the API, in a real browser, which is the one that judges what the service says.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { launchChromium, missingChromium } from './support/chromium.ts'
import { cleanUp } from './support/cleanup.ts'
import { startService } from './support/service.ts'
import { tempDir } from './support/temp-dir.ts'

const API_KEY = 'k'.repeat(32)
const skip = missingChromium === null ? {} : { skip: missingChromium }

test(
  'a page whose origin is named uses the API with its key; another page of the same machine cannot',
  skip,
  async (t) => {
    const pages = createServer((_request, response) =>
      response.setHeader('content-type', 'text/html').end('<title>app</title>'),
    )
    await once(pages.listen(0, '127.0.0.1'), 'listening')
    cleanUp(t, () => pages.close())
    const { port } = pages.address() as AddressInfo
    const [named, other] = [`http://127.0.0.1:${port}`, `http://localhost:${port}`]
    const service = await startService(t, { cwd: tempDir(t), env: { API_KEY, HOST: '127.0.0.1', CORS_ORIGINS: named } })
    const browser = await launchChromium()
    cleanUp(t, () => browser.close())

    const use = async (origin: string, key: string) => {
      const page = await browser.newPage()
      await page.goto(origin)
      const call = async ([url, apiKey]: [string, string]) => {
        const headers = { 'content-type': 'application/json', 'x-api-key': apiKey, 'idempotency-key': 'k' }
        const body = JSON.stringify({ schedule: 'PT1H', callbackUrl: 'http://127.0.0.1:9/' })
        try {
          const answer = await fetch(`${url}/api/v1/timers/create`, { method: 'POST', headers, body })
          return { status: answer.status, json: (await answer.json()) as { id: string } }
        } catch (error) {
          return { error: String(error) }
        }
      }
      return page.evaluate(call, [service.url, key] as [string, string])
    }

    assert.deepEqual(await use(other, API_KEY), { error: 'TypeError: Failed to fetch' })
    assert.equal((await use(named, 'wrong')).status, 401)
    const [first, again] = [await use(named, API_KEY), await use(named, API_KEY)]
    assert.equal(first.status, 200)
    assert.equal(again.json?.id, first.json?.id)
  },
)
