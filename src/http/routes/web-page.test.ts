import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import type { TestContext } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { createKey, hashKey } from '../../service/keys/api-key.ts'
import { ANONYMOUS } from '../../core/access/access.ts'
import { KeyRing } from '../../service/keys/key-ring.ts'
import { CONTRACTS } from '../contracts/all-contracts.ts'
import { testServer } from '../test-server.fixture.ts'
import type { TestServerOptions } from '../test-server.fixture.ts'
import { readWebFiles } from './web-page.ts'

const SCRIPT = `console.log('${'duetime '.repeat(500)}')`
const SCRIPT_PATH = '/assets/index-Bq3xk9Zt.js'

async function aFolder(t: TestContext, files: Readonly<Record<string, string>>): Promise<string> {
  const root = tempDir(t)
  await writeFile(join(root, 'secret.txt'), 'not for the web')
  const folder = join(root, 'dist')
  await mkdir(join(folder, 'assets'), { recursive: true })
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  return folder
}

async function setup(t: TestContext, options: TestServerOptions = {}) {
  const page = { 'index.html': '<!doctype html><title>Duetime</title>', 'favicon.svg': '<svg/>' }
  const files = { ...page, [SCRIPT_PATH]: SCRIPT, 'assets/x.js.map': '{}' }
  const webFiles = (await readWebFiles(await aFolder(t, files)))!
  return testServer(t, { contracts: CONTRACTS, ...options, webFiles })
}

/** As it is: fetch would tidy the path up first, and ask for compression. */
function ask(url: string, path: string, headers: Record<string, string> = {}) {
  return new Promise<{ status: number; headers: Record<string, unknown>; body: Buffer }>((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const sent = request({ hostname, port, path, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks) }),
      )
    })
    sent.on('error', reject).end()
  })
}

suite('the web page', () => {
  test('no path leads out of its folder', async (t) => {
    const { url } = await setup(t)
    const plain = ['/../secret.txt', '/assets/../../secret.txt', '//secret.txt']
    const encoded = ['/%2e%2e/secret.txt', '/assets/..%2f..%2fsecret.txt', '/..%5csecret.txt', '/.%00/secret.txt']
    for (const path of [...plain, ...encoded]) {
      const { status, body } = await ask(url, path)
      assert.ok(status === 404 || status === 400, `${path}: ${status}`)
      assert.ok(!body.includes('not for the web'), path)
    }
  })

  test('what is no file of it keeps its answer in JSON, whoever asks', async (t) => {
    const { url } = await setup(t)
    const headers = { accept: 'text/html' }
    for (const path of ['/api/v1/nowhere', '/nowhere', '/assets/gone-12345678.js', '/assets/x.js.map']) {
      const { status, body } = await ask(url, path, headers)
      assert.deepEqual(
        [status, (JSON.parse(body.toString()) as { error: string }).error],
        [404, 'ROUTE_NOT_FOUND'],
        path,
      )
    }
    assert.equal((JSON.parse((await ask(url, '/timers/x', headers)).body.toString()) as { code: number }).code, 2)
  })

  test('is served with nothing allowed from elsewhere', async (t) => {
    const { url } = await setup(t)
    for (const path of ['/', '/index.html']) {
      const { status, headers, body } = await ask(url, path)
      assert.equal(status, 200)
      assert.match(body.toString(), /<title>Duetime/)
      assert.equal(headers['content-type'], 'text/html; charset=utf-8')
      assert.match(headers['content-security-policy'] as string, /^default-src 'none'; script-src 'self'; /)
      assert.equal(headers['x-content-type-options'], 'nosniff')
      assert.equal(headers['cache-control'], 'no-cache')
    }
  })

  test('a path under /ui/ leads to its place in the page, and never to another host', async (t) => {
    const { url } = await setup(t)
    const location = async (path: string) => (await ask(url, path)).headers['location']
    assert.equal(await location('/ui'), '/#')
    assert.equal(await location('/ui/timers/default/a%2Fb?status=failed'), '/#/timers/default/a%2Fb?status=failed')
    assert.equal(await location('/ui//example.com/%0d%0aX: y'.replace(' ', '%20')), '/#//example.com/%0d%0aX:%20y')
  })

  test('a file with a hash in its name is kept for good, others are asked for again', async (t) => {
    const { url } = await setup(t)
    assert.equal((await ask(url, SCRIPT_PATH)).headers['cache-control'], 'public, max-age=31536000, immutable')
    const { headers } = await ask(url, '/favicon.svg')
    assert.equal(headers['cache-control'], 'no-cache')
    const etag = headers['etag'] as string
    const again = await ask(url, '/favicon.svg', { 'if-none-match': `"other", W/${etag}` })
    assert.deepEqual([again.status, again.body.length, again.headers['etag']], [304, 0, etag])
    assert.equal((await ask(url, '/favicon.svg', { 'if-none-match': '"other"' })).status, 200)
  })

  test('is sent in the best way that the browser takes', async (t) => {
    const { url } = await setup(t)
    const script = (accepted: string) => ask(url, SCRIPT_PATH, { 'accept-encoding': accepted })
    const [br, gzip] = [await script('gzip, br'), await script('GZIP;q=0.5')]
    const [plain, refused] = [await script(''), await script('br;q=0, gzip;q=0.0')]
    assert.deepEqual(
      [br, gzip, plain, refused].map(({ headers }) => headers['content-encoding']),
      ['br', 'gzip', undefined, undefined],
    )
    assert.equal(brotliDecompressSync(br.body).toString(), SCRIPT)
    assert.equal(gunzipSync(gzip.body).toString(), SCRIPT)
    assert.equal(plain.body.toString(), SCRIPT)
    assert.equal(br.headers['vary'], 'accept-encoding')
    assert.notEqual(br.headers['etag'], gzip.headers['etag'])
  })

  test('needs no key, while what it asks for does', async (t) => {
    const keys = new KeyRing()
    keys.replace([{ hash: hashKey(createKey()), principal: ANONYMOUS }])
    const { url } = await setup(t, { keys })
    for (const path of ['/', SCRIPT_PATH]) assert.equal((await ask(url, path)).status, 200)
    assert.equal((await ask(url, '/ui/timers')).status, 302)
    for (const path of ['/api/v1/overview', '/nowhere']) assert.equal((await ask(url, path)).status, 401)
  })

  test('that was not built is a page that says how to build it', async (t) => {
    assert.equal(await readWebFiles(join(tmpdir(), 'duetime-no-such-folder')), null)
    assert.equal(await readWebFiles(await aFolder(t, { 'other.txt': 'x' })), null)
    const { url } = await testServer(t)
    const { status, body } = await ask(url, '/')
    assert.equal(status, 200)
    assert.match(body.toString(), /npm run build/)
  })
})
