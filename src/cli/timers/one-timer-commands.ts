// Commands that are given the ids of timers: get, trigger, pause, resume. Several ids are taken one after the other; a
// failure of one does not keep the others from it.

import type { Duetime, Timer } from '@duetime/client'
import type { Command } from 'commander'
import { CommandFailed } from '../command/command-failed.ts'
import { addConnectionOptions, connectionOf, withClient } from '../command/connection.ts'
import type { Connection, ConnectionFlags } from '../command/connection.ts'
import { ExitCode } from '../command/exit-codes.ts'
import { Format, machineText, outputOption } from '../output/format.ts'
import { visible } from '../output/visible-text.ts'
import { refusalOf } from '../command/refusal.ts'
import { readInstant } from '../when/when.ts'
import type { Terminal } from '../command/terminal.ts'
import { dueText, timerText } from './timer-text.ts'

type Flags = ConnectionFlags & { readonly output: Format }

export function addOneTimerCommands(program: Command, terminal: Terminal): void {
  const get = program
    .command('get')
    .description('show timers, with their attempts')
    .argument('<id...>', 'the timers')
    .option('--secrets', 'show the values of callback headers')
    .addOption(outputOption())
  addConnectionOptions(get).addHelpText(
    'after',
    examples('duetime get order-17-reminder', 'duetime get order-17-reminder -o json | jq .payload'),
  )
  get.action((ids: readonly string[], flags: Flags & { readonly secrets?: true }) => {
    const connection = connectionOf(flags, terminal.environment)
    const ask = (client: Duetime, id: string) => client.get(id, { includeSecrets: flags.secrets === true })
    return each(ids, ask, { connection, terminal, format: flags.output, say: (timer) => timerText(timer, terminal) })
  })
  for (const [verb, about, done] of CHANGES) {
    const command = program.command(verb).description(about).argument('<id...>', 'the timers').addOption(outputOption())
    addConnectionOptions(command).addHelpText(
      'after',
      examples(`duetime ${verb} order-17-reminder`, `duetime ${verb} a b c -n orders`),
    )
    if (verb === 'pause') command.option('--until <when>', 'the pause ends then by itself: tomorrow 9:00, in 2h')
    command.action((ids: readonly string[], flags: Flags & { readonly until?: string }) => {
      const say = (timer: Timer) =>
        `${visible(timer.id)} ${done}${verb === 'resume' ? `, due ${dueText(timer, terminal)}` : ''}\n`
      const connection = connectionOf(flags, terminal.environment)
      const viewpoint = { now: terminal.clock.now(), timeZone: terminal.environment.timeZone }
      const options = flags.until === undefined ? {} : { until: readInstant(flags.until, viewpoint) }
      return each(ids, (client, id) => client[verb](id, options), { connection, terminal, format: flags.output, say })
    })
  }
}

const CHANGES = [
  ['trigger', 'make timers due at once; a cycle fires once more and goes on as before', 'is due now'],
  ['pause', 'keep timers from firing until they are resumed', 'is paused'],
  ['resume', 'let paused timers fire again; what came due meanwhile fires at once', 'is resumed'],
] as const

type Ask = (client: Duetime, id: string) => Promise<Timer>

export type EachOptions = {
  readonly connection: Connection
  readonly terminal: Terminal
  readonly format: Format
  readonly say: (timer: Timer) => string
}

/** One timer is printed as a value, several as a list of them. */
export async function each(ids: readonly string[], ask: Ask, options: EachOptions): Promise<void> {
  const { connection, terminal, format, say } = options
  const found: Timer[] = []
  let exitCode: ExitCode = ExitCode.done
  for (const id of ids) {
    try {
      const timer = await withClient(connection, (client) => ask(client, id))
      found.push(timer)
      if (format === Format.table) terminal.out(found.length > 1 && isLong(say(timer)) ? `\n${say(timer)}` : say(timer))
    } catch (error) {
      const refusal = ids.length === 1 ? null : refusalOf(error as Error)
      if (refusal === null) throw error
      terminal.err(`${visible(id)}: ${refusal.message}\n`)
      exitCode ||= refusal.exitCode
    }
  }
  if (format !== Format.table) terminal.out(await machineText(ids.length === 1 ? found[0] : found, format))
  if (exitCode !== ExitCode.done) throw new CommandFailed(exitCode)
}

/** Blocks of facts are kept apart by an empty line. */
function isLong(text: string): boolean {
  return text.trimEnd().includes('\n')
}

export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  ${line}\n`).join('')}`
}
