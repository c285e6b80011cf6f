// Which subjects the service uses. With a namespace prefix every namespace has subjects of its own, and whoever may publish
// on them, which the broker decides, may use that namespace and no other.

import { namespaceOfWord, namespaceWord, SubjectPatterns } from '../core/timer/subject.ts'
import type { Namespace } from '../core/timer/timer.ts'
import type { Config } from '../runtime/config/config.ts'
import { EventSubjects } from './lifecycle/event-subjects.ts'

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
    return this.#prefix === null ? subject : `${this.#prefix}.${namespaceWord(namespace)}.${subject}`
  }

  /** The namespace that the subject binds a message to; null when subjects bind nothing. Throws INVALID_INPUT when the word is no namespace. */
  namespaceIn(subject: string): Namespace | null {
    if (this.#prefix === null) return null
    const [word = ''] = subject.slice(this.#prefix.length + 1).split('.')
    return namespaceOfWord(word)
  }
}

type OwnSubjectsConfig = Pick<
  Config,
  | 'natsCommandsSubject'
  | 'natsEventsSubject'
  | 'natsDeadLettersSubject'
  | 'natsRequestsSubject'
  | 'natsLifecycleSubject'
  | 'natsNamespacePrefix'
>

/** What the service listens to and speaks on, whether or not each of it is switched on at this node: others may have it on. */
export function ownSubjects(config: OwnSubjectsConfig): SubjectPatterns {
  const { natsNamespacePrefix: prefix } = config
  const subjects = new Subjects(prefix)
  return new SubjectPatterns([
    subjects.pattern(config.natsCommandsSubject),
    subjects.pattern(config.natsEventsSubject),
    config.natsDeadLettersSubject,
    `${subjects.pattern(config.natsRequestsSubject)}.>`,
    ...new EventSubjects(config.natsLifecycleSubject, prefix).patterns,
  ])
}
