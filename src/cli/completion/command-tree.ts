// The commands as data, for everything that is made from them: completion scripts and the reference page.

import type { Command, Option } from 'commander'

export type OptionInfo = {
  /** As the help shows it: `-o, --output <format>`. */
  readonly usage: string
  readonly long: string
  readonly short: string | null
  readonly about: string
  readonly takesValue: boolean
  readonly choices: readonly string[]
  readonly isFile: boolean
  /** What counts when it is not given; null when that is nothing, or said in `about`. */
  readonly fallback: string | null
}
export type ArgumentInfo = {
  readonly usage: string
  readonly about: string
  readonly isFile: boolean
  readonly choices: readonly string[]
}
export type CommandInfo = {
  /** Without the program's own name: `keys create`; empty for the program. */
  readonly path: string
  readonly about: string
  readonly options: readonly OptionInfo[]
  readonly args: readonly ArgumentInfo[]
  readonly commands: readonly CommandInfo[]
}

export function commandTree(command: Command, path = ''): CommandInfo {
  return {
    path,
    about: command.description(),
    options: command.createHelp().visibleOptions(command).map(optionInfo),
    args: command.registeredArguments.map((argument) => ({
      usage: argumentUsage(argument),
      about: argument.description,
      isFile: argument.name() === 'to' || argument.name() === 'from',
      choices: argument.argChoices ?? [],
    })),
    commands: command.commands.map((one) => commandTree(one, path === '' ? one.name() : `${path} ${one.name()}`)),
  }
}

export function flattened(tree: CommandInfo): readonly CommandInfo[] {
  return [tree, ...tree.commands.flatMap(flattened)]
}

function optionInfo(option: Option): OptionInfo {
  return {
    usage: option.flags,
    long: option.long ?? option.short ?? '',
    short: option.long === undefined ? null : (option.short ?? null),
    about: option.description,
    takesValue: option.required || option.optional,
    choices: option.argChoices ?? [],
    isFile: /<(?:path|file)>/.test(option.flags),
    fallback:
      typeof option.defaultValue === 'string' || typeof option.defaultValue === 'number'
        ? String(option.defaultValue)
        : null,
  }
}

function argumentUsage(argument: { name(): string; readonly required: boolean; readonly variadic: boolean }): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`
  return argument.required ? `<${name}>` : `[${name}]`
}
