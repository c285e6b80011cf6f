import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nearestName } from './nearest.ts'

const KNOWN = ['port', 'host', 'log-level', 'log-format', 'webhook-secrets']

test('nothing is suggested for a name that is like no other', () => {
  assert.equal(nearestName('concurrency', KNOWN), null)
  assert.equal(nearestName('', KNOWN), null)
  assert.equal(nearestName('x', []), null)
})

test('swapped, dropped, doubled and wrong letters are recognised', () => {
  assert.equal(nearestName('prot', KNOWN), 'port')
  assert.equal(nearestName('hst', KNOWN), 'host')
  assert.equal(nearestName('loglevel', KNOWN), 'log-level')
  assert.equal(nearestName('log-formatt', KNOWN), 'log-format')
  assert.equal(nearestName('webhook-secret', KNOWN), 'webhook-secrets')
})
