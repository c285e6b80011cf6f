import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { couldBeRebound } from './rebinding.ts'
import { testServer } from '../test-server.fixture.ts'

test('names that someone could own are told from addresses and names of this machine', () => {
  const foreign = [
    'evil.example',
    'evil.example:80',
    'EVIL.EXAMPLE.',
    '127.0.0.1.nip.io',
    'localhost.evil.example',
    'internal.example',
    '0x7f.1',
  ]
  for (const host of foreign) assert.ok(couldBeRebound(host), host)
  const addresses = ['127.0.0.1', '127.0.0.1:80', '[::1]:8080', '[::1]']
  const own = [
    'localhost',
    'localhost:8080',
    'duetime',
    'app.localhost:1',
    'host.docker.internal:8080',
    '',
    ...addresses,
  ]
  for (const host of own) assert.ok(!couldBeRebound(host), host)
})

test('a page that points its name at this machine is refused, unless everyone is let in anyway', async (t) => {
  const statusFor = async (url: string, host: string) => {
    const asked = request(`${url}/metrics`, { headers: { host } }).end()
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    return answer.resume().statusCode
  }
  const alone = await testServer(t)
  assert.deepEqual([await statusFor(alone.url, 'evil.example'), await statusFor(alone.url, 'localhost')], [403, 200])
  const shared = await testServer(t, { allowAnonymous: true })
  assert.equal(await statusFor(shared.url, 'timers.example'), 200)
})
