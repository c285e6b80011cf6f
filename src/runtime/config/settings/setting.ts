// What is known about one setting, and how the lists of them are written.

import type { ValueType } from '../values.ts'

export type Setting<T> = {
  readonly group: string
  readonly env: string
  /** Another variable, which counts where this one is not set; null when there is none. */
  readonly alias: string | null
  readonly flag: string
  readonly type: ValueType<T>
  /** As one would write it; null when the setting is absent unless given. */
  readonly default: string | null
  readonly help: string
  /** It may hold a secret: messages about it do not repeat it. */
  readonly secret: boolean
}

type Description = { readonly help: string; readonly secret?: boolean; readonly alias?: string | null }

export function setting<T>(
  env: string,
  type: ValueType<T>,
  defaultText: string,
  { help, secret = false, alias = null }: Description,
): Setting<T> {
  return { group: '', env, alias, flag: flagOf(env), type, default: defaultText, help, secret }
}

export function optional<T>(
  env: string,
  type: ValueType<T>,
  { help, secret = false, alias = null }: Description,
): Setting<T | null> {
  return { group: '', env, alias, flag: flagOf(env), type, default: null, help, secret }
}

function flagOf(env: string): string {
  return env.toLowerCase().replaceAll('_', '-')
}

export function group<S extends Readonly<Record<string, Setting<unknown>>>>(name: string, settings: S): S {
  return Object.fromEntries(
    Object.entries(settings).map(([key, one]) => [key, { ...one, group: name }]),
  ) as unknown as S
}
