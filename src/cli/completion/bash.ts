// Completion for bash: a function that knows every command, its options and their values. It runs nothing, so that
// pressing Tab is instant.

import { flattened } from './command-tree.ts'
import type { CommandInfo, OptionInfo } from './command-tree.ts'

export function bashCompletion(tree: CommandInfo): string {
  const commands = flattened(tree)
  return `# bash completion for duetime. To load it: source <(duetime completion bash)
_duetime() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" command="" words="" files="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$command \${COMP_WORDS[i]}" in
      ${commands
        .slice(1)
        .map((command) => quoted(key(command)))
        .join(' | ')}) command="$command \${COMP_WORDS[i]}" ;;
    esac
  done
  case "$command:$prev" in
${commands.flatMap(valueCases).join('\n')}
  esac
  case "$command" in
${commands.map(wordsCase).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  if [[ -n "$files" && "$cur" != -* ]]; then
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$cur"))
  fi
}
complete -F _duetime duetime
`
}

function key({ path }: CommandInfo): string {
  return path === '' ? '' : ` ${path}`
}

function quoted(text: string): string {
  return `'${text}'`
}

/** What follows an option that takes a value: its choices, a file, or something that only the user knows. */
function valueCases(command: CommandInfo): string[] {
  return command.options
    .filter(({ takesValue }) => takesValue)
    .map((option) => {
      const names = namesOf(option)
        .map((name) => quoted(`${key(command)}:${name}`))
        .join(' | ')
      if (option.choices.length > 0)
        return `    ${names}) COMPREPLY=($(compgen -W ${quoted(option.choices.join(' '))} -- "$cur")); return ;;`
      if (option.isFile)
        return `    ${names}) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$cur")); return ;;`
      return `    ${names}) COMPREPLY=(); return ;;`
    })
}

function wordsCase(command: CommandInfo): string {
  const words = [
    ...command.commands.map(({ path }) => path.split(' ').at(-1)!),
    ...command.args.flatMap(({ choices }) => choices),
    ...command.options.flatMap(namesOf),
  ]
  const files = command.args.some(({ isFile }) => isFile) ? ' files=1' : ''
  return `    ${quoted(key(command))}) words=${quoted(words.join(' '))}${files} ;;`
}

function namesOf({ long, short }: OptionInfo): string[] {
  return short === null ? [long] : [long, short]
}
