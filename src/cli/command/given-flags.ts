// The flags of the service's settings, as the config reads them.

import { Option } from 'commander'
import type { Command } from 'commander'
import { flagHelp } from '../../runtime/config/docs.ts'
import type { FlagHelp } from '../../runtime/config/docs.ts'
import type { ConfigSources } from '../../runtime/config/config.ts'

export type Flags = NonNullable<ConfigSources['flags']>

export function addSettings(command: Command, isWanted: (help: FlagHelp) => boolean = () => true): void {
  for (const setting of flagHelp().filter(isWanted))
    command.addOption(new Option(setting.usage, setting.help).helpGroup(`${setting.group}:`))
}

/** What was given of the settings, by the flag's own name. A switch without a value is `true` in commander and text everywhere else. */
export function givenFlags(command: Command): Flags {
  const values = command.opts<Record<string, string | true | undefined>>()
  const settings = new Set(flagHelp().map(({ flag }) => flag))
  const given = command.options.map((option) => [option.long?.slice(2) ?? '', values[option.attributeName()]] as const)
  return Object.fromEntries(
    given.flatMap(([flag, value]) => (value === undefined || !settings.has(flag) ? [] : [[flag, String(value)]])),
  )
}
