// Where a timer fires. This is the list of the types that there are; everybody else loops over it.

import { functionTarget } from './function.ts'
import type { FunctionTarget } from './function.ts'
import { httpTarget } from './http.ts'
import type { HttpTarget } from './http.ts'
import { natsTarget } from './nats.ts'
import type { NatsTarget } from './nats.ts'
import { noTarget } from './none.ts'
import type { NoTarget } from './none.ts'
import type { TargetFieldKind, TargetType } from './target-type.ts'

export type Target = HttpTarget | NatsTarget | NoTarget | FunctionTarget

const TARGET_TYPES: { readonly [Type in Target['type']]: TargetType<Extract<Target, { type: Type }>> } = {
  http: httpTarget,
  nats: natsTarget,
  none: noTarget,
  function: functionTarget,
}

export const TARGET_TYPE_NAMES = Object.keys(TARGET_TYPES) as readonly Target['type'][]

/** The object is the one of this very target's type, so its functions can be given the target. Undefined: no such type is known. */
export function targetTypeOf(type: Target['type']): TargetType<Target>
export function targetTypeOf(type: string): TargetType<Target> | undefined
export function targetTypeOf(type: string): TargetType<Target> | undefined {
  return Object.hasOwn(TARGET_TYPES, type) ? (TARGET_TYPES[type as Target['type']] as TargetType<Target>) : undefined
}

export type TargetField = { readonly name: string; readonly kind: TargetFieldKind }

const FIELDS = byType<readonly TargetField[]>((type) =>
  Object.entries<TargetFieldKind>(TARGET_TYPES[type].fields).map(([name, kind]) => ({ name, kind })),
)

/** What a target of this type consists of beside its type. */
export function targetFields(type: Target['type']): readonly TargetField[] {
  return FIELDS[type]
}

export type FieldValue = string | null | Readonly<Record<string, string>>

/** Its value in a target of the type whose field it is. */
export function fieldOf(target: Target, { name }: TargetField): FieldValue {
  return (target as unknown as Readonly<Record<string, FieldValue>>)[name]!
}

const ABSENT = byType((type) => {
  const optional = FIELDS[type].filter(({ kind }) => kind === 'optional' || kind === 'headers')
  return Object.fromEntries(optional.map(({ name }) => [name, null]))
})

/** The same target with all that may be left out left out. */
export function onlyRequired(target: Target): Target {
  return { ...target, ...ABSENT[target.type] }
}

/** A target in which fields that are null may be missing. */
export function withAbsentFields(target: Target): Target {
  return { ...ABSENT[target.type], ...target }
}

function byType<Value>(make: (type: Target['type']) => Value): Readonly<Record<Target['type'], Value>> {
  return Object.fromEntries(TARGET_TYPE_NAMES.map((type) => [type, make(type)])) as Record<Target['type'], Value>
}
