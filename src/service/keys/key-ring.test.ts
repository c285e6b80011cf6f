import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unrestricted } from '../../core/access/access.ts'
import { createKey, hashKey, KEY_HASH } from './api-key.ts'
import { KeyRing } from './key-ring.ts'

test('an unknown key, a hash in place of its key and an overlong one find nobody', () => {
  const key = createKey()
  const ring = new KeyRing([{ hash: hashKey(key), principal: unrestricted('a') }])
  const others = ['', 'x', createKey(), hashKey(key), `${key} `, key.slice(1), 'x'.repeat(100_000)]
  for (const other of others) assert.equal(ring.find(other), null)
  assert.equal(ring.find(key)?.name, 'a')
  assert.equal(new KeyRing().find(''), null)
})

test('replacing exchanges all keys but the fixed ones', () => {
  const [fixed, first, second] = [createKey(), createKey(), createKey()]
  const ring = new KeyRing([{ hash: hashKey(fixed), principal: unrestricted('fixed') }])
  const names = () => [fixed, first, second].map((key) => ring.find(key)?.name)
  ring.replace([{ hash: hashKey(first), principal: unrestricted('first') }])
  assert.deepEqual(names(), ['fixed', 'first', undefined])
  ring.replace([{ hash: hashKey(second), principal: unrestricted('second') }])
  assert.deepEqual(names(), ['fixed', undefined, 'second'])
  assert.equal(ring.size, 2)
  ring.replace([{ hash: hashKey(fixed), principal: unrestricted('in the file too') }])
  assert.deepEqual(names(), ['fixed', undefined, undefined])
})

test('keys are long and never the same, and their hashes are those of no other use', () => {
  const keys = Array.from({ length: 100 }, createKey)
  assert.equal(new Set(keys).size, 100)
  for (const key of keys) assert.match(key, /^dtk_[\w-]{43}$/)
  assert.match(hashKey(keys[0]!), KEY_HASH)
  // Written down, because files with hashes must stay valid over versions.
  assert.equal(
    hashKey('0123456789abcdef0123456789abcdef'),
    'sha256:8bf1f13dc9d4e4e31cd76d9119b58ff3d41bc0c1377af5f13d154c9b05686781',
  )
})
