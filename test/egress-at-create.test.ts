// What every contract says to a callback that may not be called, when it is asked for. The service is the real process; no
// packet leaves it even if the guard failed, because the time of these timers never comes.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { DIALECTS, NAMES } from '../src/http/dialects.fixture.ts'
import type { Ask, Name } from '../src/http/dialects.fixture.ts'
import type { Answer } from '../src/http/test-server.fixture.ts'
import { API_KEY, asking, newKey, wishFor } from './support/callback-requests.ts'
import { startService } from './support/service.ts'
import { tempDir } from './support/temp-dir.ts'

/** By what is said about them. Dotted, short, decimal, octal, hex; IPv6, and IPv4 inside it: mapped, NAT64, 6to4. */
const REFUSED: readonly { readonly reason: RegExp; readonly hosts: readonly string[] }[] = [
  {
    reason: /is a metadata, link-local or reserved address, which callbacks can never reach/,
    hosts: [
      '169.254.169.254',
      '169.254.43518',
      '2852039166',
      '0251.0376.0251.0376',
      '0xa9fea9fe',
      '0xa9.254.0xa9fe',
      '[::ffff:169.254.169.254]',
      '[::ffff:a9fe:a9fe]',
      '[64:ff9b::a9fe:a9fe]',
      '[2002:a9fe:a9fe::1]',
      '[fe80::1]',
      '100.100.100.200',
      '168.63.129.16',
      '[fd00:ec2::254]',
      '0',
      '0.0.0.0',
      '[::]',
      '224.0.0.1',
      '255.255.255.255',
    ],
  },
  {
    reason: /is a loopback address: callbacks reach it only if CALLBACK_ALLOW has 'loopback'/,
    hosts: [
      '127.0.0.1',
      '127.1',
      '127.255.255.254',
      '2130706433',
      '0177.0.0.1',
      '017700000001',
      '0x7f.1',
      '0x7f000001',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[64:ff9b::7f00:1]',
      '[2002:7f00:1::]',
    ],
  },
  {
    reason: /is a private address: callbacks reach it only if CALLBACK_ALLOW has 'private'/,
    hosts: [
      '10.0.0.1',
      '10.1',
      '167772161',
      '012.0.0.1',
      '0x0a000001',
      '172.16.0.1',
      '192.168.1.1',
      '0xc0a80101',
      '100.64.0.1',
      '[::ffff:10.0.0.1]',
      '[64:ff9b::a00:1]',
      '[fd12:3456::1]',
    ],
  },
]

suite('an address that callbacks may not reach is refused when the timer is created', () => {
  for (const name of NAMES) {
    test(`${name}: in its own error shape, naming the rule and the setting that would allow it`, async (t) => {
      // A key makes it listen on all addresses, so that loopback and private ones are not allowed by default.
      const service = await startService(t, { cwd: tempDir(t), env: { API_KEY } })
      const ask = asking(service)
      const unchanged = await DIALECTS[name].make(ask, newKey(), wishFor('https://example.com/hook'))
      for (const { reason, hosts } of REFUSED) {
        for (const [index, host] of hosts.entries()) {
          const url = index % 2 === 0 ? `http://${host}/x` : `https://user:pw@${host}:8443/x`
          assertRefusal(name, await refusalOf(name, ask, url), reason)
          const change = await DIALECTS[name].change?.(ask, unchanged, { callback: { url, payload: null } })
          if (change !== undefined) assertRefusal(name, change, reason)
        }
      }
      const { timers } = (await ask('POST', '/api/v1/timers/list', {})).json as { timers: { callbackUrl: string }[] }
      assert.deepEqual(
        timers.map(({ callbackUrl }) => callbackUrl),
        ['https://example.com/hook'],
        'nothing was stored',
      )
    })
  }

  test('what is allowed is taken, and what stays denied names the entry that denies it', async (t) => {
    const env = { API_KEY, CALLBACK_ALLOW: 'loopback,10.1.0.0/16', CALLBACK_DENY: '127.66.0.0/16,evil.example' }
    const ask = asking(await startService(t, { cwd: tempDir(t), env }))
    for (const name of NAMES) {
      for (const host of ['127.0.0.1', '[::1]', '10.1.2.3'])
        await DIALECTS[name].make(ask, newKey(), wishFor(`http://${host}/`))
      const denied = {
        '127.66.1.1': '127.66.0.0/16',
        '[::ffff:127.66.1.1]': '127.66.0.0/16',
        'EVIL.example.': 'evil.example',
      }
      for (const [host, entry] of Object.entries(denied)) {
        const answer = await refusalOf(name, ask, `http://${host}/`)
        assertRefusal(name, answer, new RegExp(`denied by '${RegExp.escape(entry)}' in CALLBACK_DENY`))
      }
      assertRefusal(name, await refusalOf(name, ask, 'http://10.2.0.1/'), /is a private address/)
    }
  })
})

/** The answer to a create that must be refused. */
async function refusalOf(name: Name, ask: Ask, url: string): Promise<Answer> {
  let last: Answer | undefined
  const remembering: Ask = async (...request) => (last = await ask(...request))
  await assert.rejects(
    DIALECTS[name].make(remembering, newKey(), wishFor(url)),
    assert.AssertionError,
    `${url} was taken`,
  )
  return last!
}

type ErrorFields = { readonly message: string; readonly details: { readonly field: string } }

/** What each contract's refusal says of itself, apart from its message. */
const SHAPES: Readonly<Record<Name, (json: Answer['json']) => { readonly message: unknown; readonly rest: unknown }>> =
  {
    v1: nativeShape,
    groups: nativeShape,
    platform: ({ message, ...rest }) => ({ message, rest }),
    cycles: ({ success, error }) => {
      const { message, details, ...rest } = error as ErrorFields
      return { message, rest: { success, ...rest, field: details.field } }
    },
  }
const EXPECTED: Readonly<Record<Name, unknown>> = {
  v1: { error: 'INVALID_INPUT', field: 'callbackUrl' },
  groups: { error: 'INVALID_INPUT', field: 'callbackUrl' },
  platform: { code: 2, data: null },
  cycles: { success: false, code: 'VALIDATION_ERROR', field: 'callback_url' },
}

function nativeShape(json: Answer['json']) {
  const { message, details, timestamp: _, ...rest } = json as ErrorFields & { readonly timestamp: string }
  return { message, rest: { ...rest, field: details.field } }
}

function assertRefusal(name: Name, { status, text, json }: Answer, reason: RegExp): void {
  assert.equal(status, 400, text)
  const { message, rest } = SHAPES[name](json)
  assert.deepEqual(rest, EXPECTED[name], text)
  assert.match(String(message), reason)
}
