// The SDK as its users get it: packed, installed into an empty project, and used there, by this Node and by the machine's,
// in a browser, from modules and from CommonJS, with and without the types of DOM and Node.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { before, suite, test } from 'node:test'
import type { TestContext } from 'node:test'
import { launchChromium, missingChromium } from './support/chromium.ts'
import { cleanUp } from './support/cleanup.ts'
import { filesIn, installInto, nodeOfTheMachine, packSdk, ROOT, run } from './support/packed.ts'
import { startService } from './support/service.ts'
import type { Service } from './support/service.ts'
import { tempDir } from './support/temp-dir.ts'

const MAIN = `
const timer = await client.create({ after: '3d', callbackUrl: 'http://127.0.0.1:9/never', payload: { n: 1 } })
const [listed] = await client.list().toArray()
await client.cancel(timer)
const { status } = await client.get(timer.id)
const answer = await handler((firing) => { if (firing.payload !== 7) throw new Error() })(
  new Request('http://localhost/', { method: 'POST', body: JSON.stringify({ id: 'a', deliveryId: 'd', payload: 7 }) }),
)
const now = String(Math.floor(Date.now() / 1000))
const headers = { 'webhook-id': 'a', 'webhook-timestamp': now, 'webhook-signature': 'v1,AAAA' }
const forged = await verifyWebhook('{}', headers, 'whsec_AAAA').catch((error) => error.name)
console.log(JSON.stringify([listed.id === timer.id, status, answer.status, await answer.text(), forged, typeof nodeHandler]))
`
const EXPECTED = JSON.stringify([true, 'canceled', 200, '{"ok":true}', 'WebhookVerificationError', 'function'])

const MODULE = `import { Duetime, handler, verifyWebhook } from '@duetime/client'
import { nodeHandler } from '@duetime/client/node'
const client = new Duetime({ url: process.argv[2], namespace: process.argv[3] })
${MAIN}`
const COMMONJS = `const { Duetime, handler, verifyWebhook } = require('@duetime/client')
const { nodeHandler } = require('@duetime/client/node')
const client = new Duetime({ url: process.argv[2], namespace: process.argv[3] })
void (async () => {${MAIN}})()`

const TYPED = `import { Duetime, DuetimeError, fail, handler, reschedule, verifyWebhook } from '@duetime/client'
import type { BatchResult, Firing, Timer } from '@duetime/client'
import { nodeHandler } from '@duetime/client/node'
type Order = { readonly orderId: number }
const client = new Duetime({ url: 'http://localhost:8080', apiKey: undefined })
export async function use(): Promise<number> {
  const timer: Timer<Order> = await client.create<Order>({ at: new Date(), callbackUrl: 'https://example.com', payload: { orderId: 1 } })
  const daily = { every: { days: 1 }, times: 3, callbackUrl: 'x', payload: { orderId: 2 } }
  const results: BatchResult<Order>[] = await client.batch<Order>([daily])
  for await (const { status, payload } of client.list<Order>({ status: ['failed', 'pending'], dueFrom: 0 })) {
    if (status === 'failed') return payload!.orderId
  }
  for await (const event of client.live()) if (event.type === 'firing') return event.data.latenessMs ?? 0
  // @ts-expect-error a number does not say its unit
  await client.create({ after: 5, callbackUrl: 'x' })
  // @ts-expect-error no such status
  client.list({ status: 'gone' })
  // @ts-expect-error the payload is an order
  await client.create<Order>({ after: '5s', callbackUrl: 'x', payload: { orderId: '1' } })
  await verifyWebhook('', {}, ['whsec_x'])
  return results.length + (timer.payload?.orderId ?? 0)
}
export const onFiring = handler<Order>(async ({ payload, attempt }: Firing<Order>) => {
  if (payload.orderId === 7) return reschedule('2030-01-31T09:00:00Z')
  if (attempt > 3) return fail('again', { retryAfterSeconds: 60 })
})
export const onNodeFiring = nodeHandler<Order>(({ payload }) => void payload.orderId)
export const isTooLate = (error: unknown) => error instanceof DuetimeError && error.code === 'TIMER_NOT_PENDING'
`

let project: string
let service: Service
before(async (t) => {
  const context = t as TestContext
  const dir = tempDir(context)
  project = join(dir, 'project')
  const [started] = await Promise.all([
    startService(context, { cwd: dir, env: { DATABASE_URL: 'memory:' } }),
    packSdk(dir).then((tarball) => installInto(project, tarball)),
  ])
  service = started
  writeFileSync(join(project, 'use.mjs'), MODULE)
  writeFileSync(join(project, 'use.cjs'), COMMONJS)
  writeFileSync(join(project, 'use.mts'), TYPED)
})

test('the package has what it needs and nothing else', () => {
  const folder = join(project, 'node_modules', '@duetime', 'client')
  const files = filesIn(folder)
  assert.deepEqual(
    files.filter((path) => !path.startsWith('dist/')),
    ['LICENSE', 'README.md', 'package.json'],
  )
  for (const path of files.filter((file) => file.endsWith('.js'))) {
    const text = readFileSync(join(folder, path), 'utf8')
    // What is Node's own is asked for when the program runs, in one file.
    assert.doesNotMatch(text, /from 'node:|require\(|\.ts'/, path)
    if (!path.endsWith('node-exchange.js')) assert.doesNotMatch(text, /\bprocess\b/, path)
    assert.ok(files.includes(path.replace(/\.js$/, '.d.ts')), `${path} has no types`)
  }
  assert.ok(!files.some((path) => path.includes('.test.')))
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>
  assert.ok(!('dependencies' in manifest))
})

suite('it is used', () => {
  for (const file of ['use.mjs', 'use.cjs']) {
    test(`by this Node: ${file}`, async () => {
      assert.equal((await run(process.execPath, [file, service.url, `this-${file}`], project)).stdout.trim(), EXPECTED)
    })
    const other = nodeOfTheMachine()
    test(
      `by the Node of the machine: ${file}`,
      other === null ? { skip: 'no other node is on the PATH' } : {},
      async () => {
        assert.equal(
          (await run(other!, ['--no-warnings', file, service.url, `other-${file}`], project)).stdout.trim(),
          EXPECTED,
        )
      },
    )
  }
  for (const runtime of ['bun', 'deno']) {
    test(`by ${runtime}`, async (t) => {
      const version = await run(runtime, ['--version'], project).catch(() => null)
      if (version === null && process.env['CI'] !== 'true')
        return t.skip(`${runtime} is not installed (npm install --global ${runtime})`)
      assert.ok(version !== null, `${runtime} is not installed, and CI must not skip its test`)
      const args = runtime === 'deno' ? ['run', '--allow-net'] : ['run']
      assert.equal((await run(runtime, [...args, 'use.mjs', service.url, runtime], project)).stdout.trim(), EXPECTED)
    })
  }
})

if (missingChromium !== null && process.env['CI'] === 'true')
  throw new Error(`${missingChromium}, and CI must not skip its tests`)

test(
  'it is used in a browser, unbundled, with the live stream',
  missingChromium === null ? {} : { skip: missingChromium },
  async (t) => {
    const origin = await startOrigin(t)
    const browser = await launchChromium()
    cleanUp(t, () => browser.close())
    const page = await browser.newPage()
    await page.goto(`${origin}/`)
    // As text: what runs there knows nothing of the types here.
    const result = await page.evaluate(`(async () => {
    const { Duetime, handler, verifyWebhook } = await import('/sdk/index.js')
    const { nodeHandler } = await import('/sdk/node.js')
    const client = new Duetime({ url: location.origin, namespace: 'browser' })
    let text
    const console = { log: (line) => (text = line) }
    ${MAIN}
    for await (const event of client.live({ namespace: 'browser' })) return [text, event.type, event.data.counts.canceled]
  })()`)
    assert.deepEqual(result, [EXPECTED, 'overview', 1])
  },
)

/** One origin for the page, the SDK and the service, as behind a proxy. */
async function startOrigin(t: TestContext): Promise<string> {
  const server = createServer((request, response) => {
    const path = request.url!
    if (path.startsWith('/sdk/')) {
      const file = join(project, 'node_modules', '@duetime', 'client', 'dist', path.slice('/sdk/'.length))
      return response.writeHead(200, { 'content-type': 'text/javascript' }).end(readFileSync(file))
    }
    if (!path.startsWith('/api/'))
      return response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>SDK</title>')
    const { headers, method } = request
    const onward = httpRequest(
      `${service.url}${path}`,
      { headers: { ...headers, host: new URL(service.url).host }, method },
      (answer) => {
        response.writeHead(answer.statusCode!, answer.headers)
        answer.pipe(response)
      },
    )
    return request.pipe(onward).once('error', () => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanUp(t, () => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

suite('it is typed', () => {
  const environments: Record<string, string[]> = {
    'without DOM and Node': ['--lib', 'es2022', '--types', ''],
    'with DOM': ['--lib', 'es2022,dom,dom.iterable', '--types', ''],
    'with Node': ['--lib', 'es2022', '--types', 'node', '--typeRoots', join(ROOT, 'node_modules', '@types')],
    'for a bundler': ['--lib', 'es2022,dom', '--types', '', '--module', 'esnext', '--moduleResolution', 'bundler'],
  }
  for (const [name, args] of Object.entries(environments)) {
    test(name, async () => {
      const module = args.includes('--module') ? [] : ['--module', 'nodenext']
      const strict = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--target', 'es2022']
      await run('tsc', [...strict, ...module, ...args, 'use.mts'], project)
    })
  }
})
