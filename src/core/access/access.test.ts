import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  ANONYMOUS,
  assertAccess,
  EVERY_NAMESPACE,
  matchesAny,
  mayAccess,
  NO_NAMESPACE,
  NOBODY,
  parseNamespacePattern,
  Permission,
  visibleNamespaces,
} from './access.ts'
import type { NamespacePattern, Principal, Scope } from './access.ts'
import { DuetimeError } from '../errors.ts'
import type { Namespace } from '../timer/timer.ts'

function key(permissions: readonly Permission[], namespaces: readonly string[] | null): Principal {
  const patterns = namespaces?.map((text) => parseNamespacePattern(text)) ?? null
  return { name: 'k', permissions: new Set(permissions), namespaces: patterns, rateLimit: null }
}

const A = 'a' as Namespace
const SCOPES: readonly Scope[] = [A, 'b' as Namespace, NO_NAMESPACE, EVERY_NAMESPACE]

test('a pattern is a namespace or the beginning of one with a star behind it', () => {
  for (const text of ['', '**', 'a**', 'a*b', '*a', 'a b', '-a*', 'a?', 'a/*', '[a]*', `${'a'.repeat(101)}*`, 'ä*']) {
    assert.throws(() => parseNamespacePattern(text), { code: 'INVALID_INPUT' }, text)
  }
  for (const text of ['*', 'a', 'a*', 'team-1.*', 'A_b.c']) assert.equal(parseNamespacePattern(text), text)
})

test('nobody may do anything, anonymous everything', () => {
  for (const permission of Object.values(Permission)) {
    for (const scope of SCOPES) {
      assert.equal(mayAccess(NOBODY, permission, scope), false)
      assert.equal(mayAccess(ANONYMOUS, permission, scope), true)
    }
  }
})

test('each permission includes the lesser ones, and none the greater ones', () => {
  const order = [Permission.read, Permission.timer, Permission.admin]
  for (const [has, one] of order.entries()) {
    for (const [needs, other] of order.entries())
      assert.equal(mayAccess(key([one], null), other, A), has >= needs, `${one} for ${other}`)
  }
  assert.equal(mayAccess(key([], null), Permission.read, NO_NAMESPACE), false)
})

test('a key bound to namespaces has nothing outside them, and not what concerns all', () => {
  const bound = key([Permission.timer], ['a', 'team.*'])
  const allowed = (scope: string | symbol) => mayAccess(bound, Permission.timer, scope as Scope)
  assert.deepEqual(['a', 'team.x', 'team.', 'ab', 'A', 'team', 'teamx', NO_NAMESPACE, EVERY_NAMESPACE].map(allowed), [
    true,
    true,
    true,
    false,
    false,
    false,
    false,
    true,
    false,
  ])
  assert.deepEqual(visibleNamespaces(bound), ['a', 'team.*'])
})

test('admin is bound to no namespace', () => {
  const admin = key([Permission.admin], ['a'])
  assert.ok(SCOPES.every((scope) => mayAccess(admin, Permission.timer, scope)))
  assert.equal(visibleNamespaces(admin), null)
})

test('a refusal says what was needed and what is there', () => {
  assert.throws(() => assertAccess(key([Permission.read], null), Permission.timer, A), {
    code: 'FORBIDDEN',
    message: "the key 'k' lacks the permission timer",
    details: { requiredPermission: 'timer', providedPermissions: ['timer:read'] },
  })
  assert.throws(() => assertAccess(key([Permission.timer], ['b']), Permission.read, A), {
    message: "the key 'k' may not use namespace 'a'",
    details: { requiredPermission: 'timer:read', providedPermissions: ['timer'], namespace: 'a' },
  })
})

const name = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,8}$/) as fc.Arbitrary<Namespace>

test('a pattern matches its own name or its own beginnings, and nothing else', () => {
  fc.assert(
    fc.property(name, name, (pattern, namespace) => {
      assert.equal(matchesAny([pattern as string as NamespacePattern], namespace), (pattern as string) === namespace)
      assert.equal(
        matchesAny([`${pattern}*` as NamespacePattern], namespace),
        namespace.slice(0, pattern.length) === pattern,
      )
      assert.ok(matchesAny([`${pattern}*` as NamespacePattern], `${pattern}${namespace}` as Namespace))
      assert.ok(matchesAny(['*' as NamespacePattern], namespace))
    }),
  )
})

test('more patterns never take access away, and what one may is what asserting lets through', () => {
  const patterns = fc.array(
    fc.tuple(name, fc.boolean()).map(([text, open]) => (open ? `${text}*` : text)),
    { maxLength: 4 },
  )
  const permission = fc.constantFrom(...Object.values(Permission))
  const permissions = fc.uniqueArray(permission)
  fc.assert(
    fc.property(patterns, patterns, permissions, permission, name, (some, others, has, needs, namespace) => {
      const allowed = mayAccess(key(has, some), needs, namespace)
      if (allowed) assert.ok(mayAccess(key(has, [...some, ...others]), needs, namespace))
      assert.equal(isLetThrough(key(has, some), needs, namespace), allowed)
    }),
  )
})

function isLetThrough(principal: Principal, permission: Permission, namespace: Namespace): boolean {
  try {
    assertAccess(principal, permission, namespace)
    return true
  } catch (error) {
    assert.ok(error instanceof DuetimeError && error.code === 'FORBIDDEN')
    return false
  }
}
