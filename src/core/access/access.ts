// Who may do what. An entry point finds out who is asking; the service compares that with what is asked, the same way for every
// contract. A refusal depends on the asker, the permission and the namespace alone, never on what is stored.

import type { Brand } from '../brand.ts'
import { DuetimeError, ErrorCode } from '../errors.ts'
import { parseNamespace } from '../timer/ids.ts'
import type { SubjectPatterns } from '../timer/subject.ts'
import type { Namespace } from '../timer/timer.ts'

/** Each includes those before it. */
export const Permission = {
  /** Read, list and count timers, without the secrets in their callbacks; preview schedules. */
  read: 'timer:read',
  /** Everything that changes timers, and their secrets. */
  timer: 'timer',
  /** Everything in every namespace, and what concerns the service as a whole. */
  admin: 'admin',
} as const
export type Permission = (typeof Permission)[keyof typeof Permission]

/** Those with which one may do what takes the first of them. */
const INCLUDING: Readonly<Record<Permission, readonly Permission[]>> = {
  'timer:read': [Permission.admin, Permission.timer, Permission.read],
  timer: [Permission.admin, Permission.timer],
  admin: [Permission.admin],
}

/** A namespace by its name, or all that begin alike: `orders`, `team-a.*`. */
export type NamespacePattern = Brand<string, 'NamespacePattern'>

export type RateLimit = {
  readonly perSecond: number
  /** How many requests may come at once after a pause. */
  readonly burst: number
}

/** Whoever is asking: a key, or an entry point that needs none. */
export type Principal = {
  /** Shown in logs and as `cancelled_by`. */
  readonly name: string
  readonly permissions: ReadonlySet<Permission>
  /** Null: all namespaces. */
  readonly namespaces: readonly NamespacePattern[] | null
  readonly rateLimit: RateLimit | null
  /** Where the callbacks that it sets may publish on NATS; absent: wherever the service lets callbacks publish. */
  readonly natsSubjects?: SubjectPatterns
}

/** For entry points whose clients are trusted as a whole. */
export function unrestricted(name: string): Principal {
  return { name, permissions: new Set([Permission.admin]), namespaces: null, rateLimit: null }
}

/** Whoever comes while no key is configured. */
export const ANONYMOUS: Principal = unrestricted('anonymous')

/** Who has shown no key where none is needed: may nothing. */
export const NOBODY: Principal = { name: 'nobody', permissions: new Set(), namespaces: [], rateLimit: null }

/**
 * Who answers for the load that the principal's timers make: a key that is bound to some namespaces. Whoever may use all of
 * them is trusted with all of them, and is no tenant: null.
 */
export function tenantOf(principal: Principal): string | null {
  return visibleNamespaces(principal) === null ? null : principal.name
}

/** What concerns no namespace in particular, such as previewing a schedule. */
export const NO_NAMESPACE = Symbol('no namespace')
/** What shows or changes all of them, such as metrics. */
export const EVERY_NAMESPACE = Symbol('every namespace')
export type Scope = Namespace | typeof NO_NAMESPACE | typeof EVERY_NAMESPACE

export function mayAccess(principal: Principal, permission: Permission, scope: Scope): boolean {
  return hasPermission(principal, permission) && coversScope(principal, scope)
}

/** Throws FORBIDDEN when the principal may not. */
export function assertAccess(principal: Principal, permission: Permission, scope: Scope): void {
  if (!hasPermission(principal, permission)) {
    throw forbidden(`the key '${principal.name}' lacks the permission ${permission}`, principal, permission)
  }
  if (!coversScope(principal, scope)) {
    const namespace = typeof scope === 'string' ? scope : undefined
    const what =
      namespace === undefined
        ? 'is bound to some namespaces, and this needs all'
        : `may not use namespace '${namespace}'`
    throw forbidden(`the key '${principal.name}' ${what}`, principal, permission, namespace)
  }
}

/** Throws FORBIDDEN when the principal may not let timers publish there. */
export function assertSubject(principal: Principal, subject: string, namespace: Namespace): void {
  if (principal.natsSubjects === undefined || principal.natsSubjects.match(subject)) return
  throw forbidden(`the key '${principal.name}' may not publish on '${subject}'`, principal, Permission.timer, namespace)
}

/** The namespaces a principal sees when it names none; null: all. */
export function visibleNamespaces(principal: Principal): readonly NamespacePattern[] | null {
  return principal.permissions.has(Permission.admin) ? null : principal.namespaces
}

function hasPermission({ permissions }: Principal, needed: Permission): boolean {
  return INCLUDING[needed].some((one) => permissions.has(one))
}

function coversScope(principal: Principal, scope: Scope): boolean {
  const visible = visibleNamespaces(principal)
  if (visible === null || scope === NO_NAMESPACE) return true
  return scope !== EVERY_NAMESPACE && matchesAny(visible, scope)
}

export function matchesAny(patterns: readonly NamespacePattern[], namespace: Namespace): boolean {
  return patterns.some((pattern) => {
    const prefix = prefixOf(pattern)
    return prefix === null ? (pattern as string) === namespace : namespace.startsWith(prefix)
  })
}

/** What the namespaces of a pattern begin with; null when it is one by its name. */
export function prefixOf(pattern: NamespacePattern): string | null {
  return pattern.endsWith('*') ? pattern.slice(0, -1) : null
}

/** Throws INVALID_INPUT. A star is at the end or nowhere; `*` alone is every namespace. */
export function parseNamespacePattern(text: string, field = 'namespace'): NamespacePattern {
  const name = text.endsWith('*') ? text.slice(0, -1) : text
  if (text !== '*') parseNamespace(name, field)
  return text as NamespacePattern
}

function forbidden(
  message: string,
  { permissions }: Principal,
  requiredPermission: Permission,
  namespace?: Namespace,
): DuetimeError {
  return new DuetimeError(ErrorCode.forbidden, message, {
    requiredPermission,
    providedPermissions: [...permissions],
    ...(namespace === undefined ? {} : { namespace }),
  })
}

/** `enabled` empty: any well-formed namespace is. */
export function assertEnabled(enabled: ReadonlySet<Namespace>, namespace: Namespace): void {
  if (enabled.size === 0 || enabled.has(namespace)) return
  const message = `namespace '${namespace}' is not enabled here; NAMESPACES lists those that are`
  throw new DuetimeError(ErrorCode.namespaceNotEnabled, message, { field: 'namespace', namespace })
}
