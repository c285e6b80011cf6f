// Which subjects the door uses. With a namespace prefix every namespace has subjects of its own, and whoever may publish
// on them, which the broker decides, may use that namespace and no other.

import { parseNamespace } from '../core/ids.ts'
import type { Namespace } from '../core/timer.ts'

export class Subjects {
  readonly #prefix: string | null

  constructor(prefix: string | null) {
    this.#prefix = prefix
  }

  /** What to subscribe to in order to get the messages of every namespace. */
  pattern(subject: string): string {
    return this.#prefix === null ? subject : `${this.#prefix}.*.${subject}`
  }

  /** Where messages of one namespace go. */
  of(namespace: Namespace, subject: string): string {
    return this.#prefix === null ? subject : `${this.#prefix}.${namespace}.${subject}`
  }

  /** The namespace that the subject binds a message to; null when subjects bind nothing. */
  namespaceIn(subject: string): Namespace | null {
    if (this.#prefix === null) return null
    const [word = ''] = subject.slice(this.#prefix.length + 1).split('.')
    return parseNamespace(word)
  }

  /** Why timers of the namespace cannot be reached here, or null. */
  faultOf(namespace: Namespace): string | null {
    if (this.#prefix === null || !namespace.includes('.')) return null
    return `namespace '${namespace}' has a dot, so with NATS_NAMESPACE_PREFIX no subject is its own`
  }
}
