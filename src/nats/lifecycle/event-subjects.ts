// Where events are published: a template with the namespace and the kind of event in it.

import type { LifecycleEvent } from '../../core/lifecycle-event.ts'
import { SubjectPlaceholder } from '../../runtime/config-broker.ts'

export class EventSubjects {
  readonly #template: string

  /** With a prefix the events of a namespace are below `<prefix>.<namespace>` only: the broker's permissions say who may read them. */
  constructor(template: string, prefix: string | null) {
    this.#template = prefix === null ? template : `${prefix}.${SubjectPlaceholder.namespace}.${template}`
  }

  of({ namespace, type }: Pick<LifecycleEvent, 'namespace' | 'type'>): string {
    return this.#filled(oneWord(namespace), type)
  }

  /** Every subject that `of` can give. */
  get pattern(): string {
    return this.#filled('*', '*')
  }

  #filled(namespace: string, event: string): string {
    return this.#template.replaceAll(SubjectPlaceholder.namespace, namespace).replaceAll(SubjectPlaceholder.event, event)
  }
}

/**
 * A dot would make two words of a namespace: whoever may read `a.>` would read the events of the namespace `a.b`. What it
 * becomes instead is in no namespace's name.
 */
function oneWord(namespace: string): string {
  return namespace.replaceAll('.', '%2E')
}
