import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NetworkInterfaceInfo } from 'node:os'
import { ownUrl } from './own-address.ts'

const face = (address: string, family: 'IPv4' | 'IPv6', internal = false) =>
  ({ address, family, internal }) as NetworkInterfaceInfo
const LOOPBACK = face('127.0.0.1', 'IPv4', true)

test('a server on one address is reached there', () => {
  assert.equal(
    ownUrl('http://127.0.0.1:8080', '127.0.0.1', { eth0: [face('10.1.2.3', 'IPv4')] }),
    'http://127.0.0.1:8080',
  )
})

test('a server on every address is reached by the first one that is not loopback', () => {
  assert.equal(
    ownUrl('http://127.0.0.1:8080', '0.0.0.0', {
      lo: [LOOPBACK],
      eth0: [face('fd00::7', 'IPv6'), face('10.1.2.3', 'IPv4')],
    }),
    'http://10.1.2.3:8080',
  )
  assert.equal(
    ownUrl('http://127.0.0.1:8080', '::', { lo: [LOOPBACK], eth0: [face('fe80::1', 'IPv6'), face('fd00::7', 'IPv6')] }),
    'http://[fd00::7]:8080',
  )
})

test('a machine without a network has nothing better than loopback', () => {
  assert.equal(ownUrl('http://127.0.0.1:8080', '0.0.0.0', { lo: [LOOPBACK] }), 'http://127.0.0.1:8080')
})
