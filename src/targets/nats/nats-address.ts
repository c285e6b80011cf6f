// Where a timer publishes, and what is refused: what could never be delivered, and what would let a timer speak in the
// name of the broker, of the service, or of another namespace. The broker sees the service's credentials on all of it, so
// nobody else can judge. It is asked when a timer is made or changed, and again when it fires: settings may have changed.

import { subjectOf } from '../../core/targets/nats.ts'
import { namespaceWord, subjectFault } from '../../core/timer/subject.ts'
import type { SubjectPatterns } from '../../core/timer/subject.ts'
import type { NatsTarget } from '../../core/targets/nats.ts'
import type { Namespace } from '../../core/timer/timer.ts'

/** Headers that tell a stream what to do with the message: its id is the service's to choose, and the rest is not a timer's business. */
export function isReservedHeader(name: string): boolean {
  return name.toLowerCase().startsWith('nats-')
}

export type AddressRules = {
  /** When set, timers of namespace X publish on `<prefix>.X.…` only. */
  readonly namespacePrefix: string | null
  /** What the service listens to and speaks on. */
  readonly own: SubjectPatterns
  /** Null: all others. */
  readonly allowed: SubjectPatterns | null
}

/** Why timers of the namespace may not have this target, or null. */
export function natsTargetFault(target: NatsTarget, namespace: Namespace, rules: AddressRules): string | null {
  const reserved = Object.keys(target.headers ?? {}).find(isReservedHeader)
  if (reserved !== undefined) return `header ${reserved} is the broker's own and cannot be chosen`
  return natsAddressFault(target, namespace, rules)
}

/** Why timers of the namespace may not publish there, or null. */
export function natsAddressFault(target: NatsTarget, namespace: Namespace, rules: AddressRules): string | null {
  const { topic, key } = target
  const topicFault = subjectFault(topic)
  if (topicFault !== null) return `topic ${topicFault}`
  // A key is never at the beginning, where a `$` would have a meaning.
  const keyFault = key === null ? null : subjectFault(`x.${key}`)
  if (keyFault !== null) return `key ${keyFault}`
  const subject = subjectOf(target)
  const wholeFault = subjectFault(subject)
  if (wholeFault !== null) return `topic and key together ${wholeFault}`
  return placeFault(subject, namespace, rules)
}

function placeFault(
  subject: string,
  namespace: Namespace,
  { namespacePrefix, own, allowed }: AddressRules,
): string | null {
  if (own.match(subject)) return `'${subject}' is a subject of the service itself: a callback cannot publish there`
  const home = namespacePrefix === null ? '' : `${namespacePrefix}.${namespaceWord(namespace)}.`
  if (!subject.startsWith(home))
    return `timers of namespace '${namespace}' may publish on '${home}…' only (NATS_NAMESPACE_PREFIX)`
  if (allowed === null || allowed.match(subject)) return null
  return `'${subject}' is none of the subjects that callbacks may publish on (NATS_CALLBACK_ALLOW)`
}
