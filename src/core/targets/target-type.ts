// What the rest of the program has to know about one type of target, in one object: what it consists of, what is secret in
// it, and what becomes of its timers where nothing can deliver them. Stores, files, answers and comparisons loop over the
// fields, so a new type of target is one more object in target.ts, one schema in src/language/targets and one adapter in src/targets.

export type Headers = Readonly<Record<string, string>>

/**
 * text: always there. optional: text or null. url: text that may carry credentials, which answers hide. headers: null or
 * values that answers hide, under names that do not differ by case.
 */
export type TargetFieldKind = 'text' | 'optional' | 'url' | 'headers'

type KindOf<Value> =
  Exclude<Value, null> extends string ? (null extends Value ? 'optional' : 'text' | 'url') : 'headers'

export type TargetType<T extends { readonly type: string }> = {
  readonly type: T['type']
  /** In the order in which answers show them. */
  readonly fields: { readonly [Field in Exclude<keyof T, 'type'>]: KindOf<T[Field]> }
  /** Where it leads, for the log: nothing that could be a secret. */
  readonly placeOf: (target: T) => string
  /** The subject that it publishes on, by which a key is judged that may not use all of them. Absent: no subject. */
  readonly subjectOf?: (target: T) => string
  /** Why a new timer cannot have it where the service has no adapter for it. */
  readonly unconfigured: string
  /** Where there is no adapter, its timers wait for one. Absent: their attempts fail. */
  readonly waitsForAdapter?: true
}
