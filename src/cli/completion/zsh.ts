// Completion for zsh, with what each command and option is for.

import { flattened } from './command-tree.ts'
import type { CommandInfo, OptionInfo } from './command-tree.ts'

export function zshCompletion(tree: CommandInfo): string {
  const functions = flattened(tree).map((command) => (command.commands.length > 0 ? branch(command) : leaf(command)))
  return `#compdef duetime
# zsh completion for duetime. To load it: source <(duetime completion zsh), or put it as _duetime into a folder of $fpath.
${functions.join('\n')}
if [ "$funcstack[1]" = "_duetime" ]; then _duetime "$@"; else compdef _duetime duetime; fi
`
}

function functionName({ path }: CommandInfo): string {
  return path === '' ? '_duetime' : `_duetime_${path.replaceAll(' ', '_')}`
}

/** A command that has commands. */
function branch(command: CommandInfo): string {
  const depth = command.path === '' ? '' : ` ${command.path}`
  const described = command.commands.map(({ path, about }) => `    ${quoted(`${path.split(' ').at(-1)!}:${about}`)}`)
  const cases = command.commands.map((one) => `        ${one.path.split(' ').at(-1)!}) ${functionName(one)} ;;`)
  return `${functionName(command)}() {
  local curcontext="$curcontext" state line
  local -a commands
  commands=(
${described.join('\n')}
  )
  _arguments -C ${optionSpecs(command)} '1:command:->command' '*::argument:->argument'
  case "$state" in
    command) _describe -t commands ${quoted(`duetime${depth} command`)} commands ;;
    argument)
      case "$line[1]" in
${cases.join('\n')}
      esac ;;
  esac
}`
}

function leaf(command: CommandInfo): string {
  const args = command.args.map(({ usage, isFile, choices }) => {
    const repeats = usage.includes('...') ? '*' : ''
    const action = isFile ? '_files' : choices.length > 0 ? `(${choices.join(' ')})` : ' '
    return quoted(`${repeats}:${escaped(usage.replaceAll(/[<>[\].]/g, ''))}:${action}`)
  })
  return `${functionName(command)}() {
  _arguments ${[optionSpecs(command), ...args].join(' ')}
}`
}

function optionSpecs({ options }: CommandInfo): string {
  return options.map(optionSpec).join(' ')
}

function optionSpec({ long, short, about, takesValue, choices, isFile }: OptionInfo): string {
  const action = isFile ? '_files' : choices.length > 0 ? `(${choices.join(' ')})` : ' '
  const rest = `[${escaped(about)}]${takesValue ? `:value:${action}` : ''}`
  return short === null ? quoted(`*${long}${rest}`) : `'(${short} ${long})'{${short},${long}}${quoted(rest)}`
}

function escaped(text: string): string {
  return text.replaceAll(/[[\]:]/g, String.raw`\$&`)
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
