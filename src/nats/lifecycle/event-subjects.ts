// Where events are published: a template with the namespace and the kind of event in it.

import { LifecycleEventType } from '../../core/events/lifecycle-event.ts'
import type { LifecycleEvent } from '../../core/events/lifecycle-event.ts'
import { namespaceWord } from '../../core/timer/subject.ts'
import { SubjectPlaceholder } from '../../runtime/config/broker.ts'

export class EventSubjects {
  readonly #template: string

  /** With a prefix the events of a namespace are below `<prefix>.<namespace>` only: the broker's permissions say who may read them. */
  constructor(template: string, prefix: string | null) {
    this.#template = prefix === null ? template : `${prefix}.${SubjectPlaceholder.namespace}.${template}`
  }

  of({ namespace, type }: Pick<LifecycleEvent, 'namespace' | 'type'>): string {
    return this.#filled(namespaceWord(namespace), type)
  }

  /** Every subject that `of` can give. */
  get pattern(): string {
    return this.#filled('*', '*')
  }

  /** The same, and no more: an event's word is one of a few. */
  get patterns(): readonly string[] {
    return [...new Set(Object.values(LifecycleEventType).map((type) => this.#filled('*', type)))]
  }

  #filled(namespace: string, event: string): string {
    return this.#template
      .replaceAll(SubjectPlaceholder.namespace, namespace)
      .replaceAll(SubjectPlaceholder.event, event)
  }
}
