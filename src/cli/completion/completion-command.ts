// `duetime completion <shell>`: prints the script that makes Tab work.

import { Argument } from 'commander'
import type { Command } from 'commander'
import type { Terminal } from '../command/terminal.ts'
import type { CommandInfo } from './command-tree.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof SHELLS)[number]

export function addCompletionCommand(program: Command, terminal: Terminal): void {
  program
    .command('completion')
    .description('print the script that completes commands and flags in a shell')
    .addArgument(new Argument('<shell>', 'whose script').choices(SHELLS))
    .addHelpText('after', HELP)
    .action(async (shell: Shell) => {
      const { commandTree } = await import('./command-tree.ts')
      terminal.out(await scriptFor(shell, commandTree(program)))
    })
}

async function scriptFor(shell: Shell, tree: CommandInfo): Promise<string> {
  switch (shell) {
    case 'bash':
      return (await import('./bash.ts')).bashCompletion(tree)
    case 'zsh':
      return (await import('./zsh.ts')).zshCompletion(tree)
    case 'fish':
      return (await import('./fish.ts')).fishCompletion(tree)
  }
}

const HELP = `
Examples:
  source <(duetime completion bash)                                    in ~/.bashrc
  source <(duetime completion zsh)                                     in ~/.zshrc, after compinit
  duetime completion fish > ~/.config/fish/completions/duetime.fish
`
