// docs/reference/cli.md: every command with its arguments, flags and examples, as the program itself has them.

import type { EventEmitter } from 'node:events'
import type { Command } from 'commander'
import { CLIENT_VARIABLES } from '../../runtime/client-environment.ts'
import { commandTree, flattened } from '../completion/command-tree.ts'
import type { CommandInfo, OptionInfo } from '../completion/command-tree.ts'
import { EXIT_CODES } from './exit-codes.ts'
import { createProgram } from '../program.ts'
import type { Actions } from '../program.ts'
import { standardTerminal } from './terminal.ts'

export function cliPage(): string {
  const nothing = async () => {}
  const actions: Actions = {
    serve: nothing,
    backup: nothing,
    export: nothing,
    import: nothing,
    migrateStatus: nothing,
    migrateUp: nothing,
    migrateDown: nothing,
    shards: nothing,
    pin: nothing,
    reshard: nothing,
  }
  const program = createProgram(actions, standardTerminal())
  const commands = flattened(commandTree(program)).filter(({ path }) => path !== '')
  return `${INTRODUCTION}
${commands.map((command) => section(command, found(program, command.path))).join('\n')}
## Exit codes

| Code | Meaning |
|---|---|
${EXIT_CODES.map(([code, meaning]) => `| ${code} | ${capitalised(meaning)} |`).join('\n')}

A command that is ended by a signal has the code that the shell gives it, 130 for Ctrl-C; \`watch\` ends with 0 then.
`
}

const INTRODUCTION = `<!-- Generated from src/cli by \`npm run docs\`: change it there. -->

# Commands

\`duetime --help\` and \`duetime <command> --help\` say the same. [The guide](../guides/cli.md) shows how they are used.

Commands that talk to a server find it by \`--url\`, the key by \`--api-key\` and the namespace by \`--namespace\`, or by the variables
\`${CLIENT_VARIABLES.url}\`, \`${CLIENT_VARIABLES.apiKey}\` and \`${CLIENT_VARIABLES.namespace}\`; a flag wins over its variable.
`

function found(program: Command, path: string): Command {
  return path.split(' ').reduce((command, name) => command.commands.find((one) => one.name() === name)!, program)
}

function section(info: CommandInfo, command: Command): string {
  const parts = [
    `## \`duetime ${info.path}\``,
    `${capitalised(info.about)}.`,
    info.commands.length > 0
      ? null
      : `\`\`\`\nduetime ${[info.path, ...info.args.map(({ usage }) => usage)].join(' ')} [flags]\n\`\`\``,
    info.args.length === 0
      ? null
      : table(
          'Argument',
          info.args.map(({ usage, about }) => [usage, about]),
        ),
    info.path === 'serve'
      ? 'Every setting is a flag: see [the configuration](configuration.md).'
      : optionsTable(info.options),
    afterText(command),
  ]
  return `${parts.filter((part) => part !== null).join('\n\n')}\n`
}

function optionsTable(options: readonly OptionInfo[]): string | null {
  const shown = options.filter(({ long }) => long !== '--help')
  return shown.length === 0
    ? null
    : table(
        'Flag',
        shown.map((option) => [option.usage, aboutText(option)]),
      )
}

function aboutText({ about, choices, fallback }: OptionInfo): string {
  const words = choices.every((choice) => about.includes(choice)) ? [] : [choices.join(', ')]
  const facts = [...words, ...(fallback === null ? [] : [`default ${fallback}`])]
  return facts.length === 0 ? about : `${about} (${facts.join('; ')})`
}

function table(title: string, rows: readonly (readonly [string, string])[]): string {
  const lines = rows.map(([name, about]) => `| \`${name.replaceAll('|', '\\|')}\` | ${cell(about)} |`)
  return [`| ${title} | What it is |`, '|---|---|', ...lines].join('\n')
}

function cell(text: string): string {
  return capitalised(text).replaceAll('|', '\\|').replaceAll('<', '&lt;')
}

/** The examples, which the help has after everything else. */
function afterText(command: Command): string | null {
  let text = ''
  ;(command as unknown as EventEmitter).emit('afterHelp', {
    error: false,
    command,
    write: (more: string) => (text += more),
  })
  return text.trim() === '' ? null : `\`\`\`text\n${text.replaceAll(/^\n+|\n+$/g, '')}\n\`\`\``
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
