import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { redactUrl } from './secrets.ts'

test('neither user name nor password of a URL is shown, however they are written', () => {
  const written = [
    'http://user:secret@host/x',
    'http://user@corp.com:secret@host/x',
    'http:///user:secret@host/x',
    'http:user:secret@host/x',
    'http:\\\\user:secret@host/x',
    'http://secret@host/x',
    'http://:secret@host/x',
    'http://a:b@c:secret@host/x',
  ]
  for (const url of written) assert.equal(redactUrl(url), 'http://***@host/x', url)
})

test('a URL without credentials is shown as it is, and what is no URL not at all when it may have some', () => {
  for (const url of ['http://host/@user:x', 'http://host?to=a@b', 'HTTP://Host', 'http://host#@'])
    assert.equal(redactUrl(url), url)
  assert.equal(redactUrl('//user:secret@host/'), '***')
})

test('no credential that a delivery would send is shown', () => {
  const secret = fc.stringMatching(/^s3cr3t[!-~]{0,10}$/)
  const url = fc.tuple(
    fc.constantFrom('http://', 'https:///', 'HTTP:\\', 'http:'),
    fc.stringMatching(/^[!-~]{0,6}$/),
    secret,
  )
  fc.assert(
    fc.property(url, ([start, user, password]) => {
      const text = `${start}${user}:${password}@host/`
      const parsed = URL.parse(text)
      if (parsed?.host === 'host') assert.doesNotMatch(redactUrl(text), /s3cr3t/)
    }),
  )
})
