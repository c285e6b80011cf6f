// Where a timer publishes, and what is refused when it is created: what could never be delivered, and what would let a
// timer speak in the broker's own name.

import { subjectFault } from '../../broker/subject.ts'
import type { Namespace, NatsTarget } from '../../core/timer.ts'

export function subjectOf({ topic, key }: Pick<NatsTarget, 'topic' | 'key'>): string {
  return key === null ? topic : `${topic}.${key}`
}

/** Headers that tell a stream what to do with the message: its id is the service's to choose, and the rest is not a timer's business. */
export function isReservedHeader(name: string): boolean {
  return name.toLowerCase().startsWith('nats-')
}

export type AddressRules = {
  /** When set, timers of namespace X publish on `<prefix>.X.…` only. */
  readonly namespacePrefix: string | null
}

/** Why timers of the namespace may not have this target, or null. */
export function natsTargetFault(target: NatsTarget, namespace: Namespace, { namespacePrefix }: AddressRules): string | null {
  const { topic, key, headers } = target
  const topicFault = subjectFault(topic)
  if (topicFault !== null) return `topic ${topicFault}`
  // A key is never at the beginning, where a `$` would have a meaning.
  const keyFault = key === null ? null : subjectFault(`x.${key}`)
  if (keyFault !== null) return `key ${keyFault}`
  const wholeFault = subjectFault(subjectOf(target))
  if (wholeFault !== null) return `topic and key together ${wholeFault}`
  const reserved = Object.keys(headers ?? {}).find(isReservedHeader)
  if (reserved !== undefined) return `header ${reserved} is the broker's own and cannot be chosen`
  const home = namespacePrefix === null ? '' : `${namespacePrefix}.${namespace}.`
  if (!topic.startsWith(home)) return `timers of namespace '${namespace}' may publish on '${home}…' only (NATS_NAMESPACE_PREFIX)`
  return null
}
