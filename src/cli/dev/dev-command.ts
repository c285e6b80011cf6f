// The flags of `duetime dev`.

import { InvalidArgumentError } from 'commander'
import type { Command } from 'commander'
import type { Terminal } from '../command/terminal.ts'
import type { DevOptions } from './dev.ts'

export function addDevCommand(program: Command, terminal: Terminal): void {
  program
    .command('dev')
    .description('try it out: the service with a clock that can be moved, and a receiver that shows what arrives')
    .option('--port <number>', 'port of the service; 0 takes any free one', '8080')
    .option('--sink-port <number>', 'port of the receiver; 0 takes any free one', port, '9090')
    .option('--database <place>', 'keep timers: the path of a SQLite file, or a URL; default in memory')
    .option('--webhook-secret <secret>', 'sign deliveries with this; default a new one')
    .option('--log-level <word>', 'the least severe messages that are logged', 'error')
    .option('--no-interactive', 'no prompt: the clock is moved over HTTP only, as when standard input is no terminal')
    .addHelpText('after', EXAMPLES)
    .action(async (flags: DevOptions) => {
      const { runDev } = await import('./dev.ts')
      await runDev({ ...flags, interactive: flags.interactive && process.stdin.isTTY }, terminal)
    })
}

function port(text: string): string {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new InvalidArgumentError('It must be a whole number from 0 to 65535.')
  return text
}

const EXAMPLES = `
At the prompt:
  advance 3d         move the clock forward; what is due on the way fires at its time
  now, list, help, quit

Over HTTP, for the tests of your own program:
  curl localhost:8080/dev/clock
  curl localhost:8080/dev/clock/advance -H 'Content-Type: application/json' -d '{"by":"3d"}'
`
