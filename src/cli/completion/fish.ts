// Completion for fish, with what each command and option is for.

import { flattened } from './command-tree.ts'
import type { CommandInfo, OptionInfo } from './command-tree.ts'

export function fishCompletion(tree: CommandInfo): string {
  return `# fish completion for duetime. To load it: duetime completion fish | source
complete -c duetime -f
${flattened(tree).flatMap(lines).join('\n')}
`
}

function lines(command: CommandInfo): string[] {
  const condition = quoted(conditionOf(command))
  const about = (text: string) => `-d ${quoted(text)}`
  return [
    ...command.commands.map(
      (one) => `complete -c duetime -n ${condition} -a ${one.path.split(' ').at(-1)!} ${about(one.about)}`,
    ),
    ...command.args.flatMap(({ isFile, choices }) => [
      ...(isFile ? [`complete -c duetime -n ${condition} -F`] : []),
      ...(choices.length > 0 ? [`complete -c duetime -n ${condition} -a ${quoted(choices.join(' '))}`] : []),
    ]),
    ...command.options.map(
      (option) => `complete -c duetime -n ${condition} ${optionText(option)} ${about(option.about)}`,
    ),
  ]
}

function conditionOf({ path, commands }: CommandInfo): string {
  if (path === '') return '__fish_use_subcommand'
  const [first, second] = path.split(' ')
  const within = `__fish_seen_subcommand_from ${first}`
  if (second !== undefined) return `${within}; and __fish_seen_subcommand_from ${second}`
  const names = commands.map((one) => one.path.split(' ').at(-1)!)
  return names.length === 0 ? within : `${within}; and not __fish_seen_subcommand_from ${names.join(' ')}`
}

function optionText({ long, short, takesValue, choices, isFile }: OptionInfo): string {
  const names = `${short === null ? '' : `-s ${short.slice(1)} `}-l ${long.slice(2)}`
  if (!takesValue) return names
  if (choices.length > 0) return `${names} -x -a ${quoted(choices.join(' '))}`
  return isFile ? `${names} -r -F` : `${names} -x`
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`
}
