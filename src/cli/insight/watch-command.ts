// `duetime watch`: what fires, as it fires, one line each, until Ctrl-C. The connection is made again when it breaks.

import type { Duetime, LiveEvent } from '@duetime/client'
import type { Command } from 'commander'
import { addConnectionOptions, connectionOf, withClient } from '../command/connection.ts'
import type { ConnectionFlags } from '../command/connection.ts'
import { Format, outputOption, positiveInteger } from '../output/format.ts'
import type { Terminal } from '../command/terminal.ts'
import { examples } from '../timers/one-timer-commands.ts'
import { UsageError } from '../command/usage-error.ts'
import { StatusLine } from './status-line.ts'
import { changeLine, firingLine, isFailure, pulseText, summaryText, Tally } from './watch-text.ts'

type WatchFlags = ConnectionFlags & {
  readonly changes?: true
  readonly failures?: true
  readonly count?: number
  readonly output: Format
}

export function addWatchCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('watch')
    .description('show what fires, as it fires, until Ctrl-C')
    .option('--changes', 'show also what is created, changed and canceled')
    .option('--failures', 'show only attempts that failed')
    .option('--count <number>', 'end after so many lines', positiveInteger)
    .addOption(outputOption())
  const help = examples(
    'duetime watch',
    'duetime watch -n orders --failures',
    "duetime watch -o json | jq 'select(.latenessMs > 100)'",
  )
  addConnectionOptions(command).addHelpText(
    'after',
    `\nOf a busy service some firings are shown, up to 50 a second; the summary counts all.\n${help}`,
  )
  command.action(async (flags: WatchFlags) => {
    if (flags.output === Format.yaml)
      throw new UsageError('A stream has no YAML: use --output json, which is one value a line here.')
    const connection = connectionOf(flags, terminal.environment)
    await withClient(connection, (client) =>
      watch(client, { flags, namespace: connection.namespace, url: connection.url, terminal }),
    )
  })
}

type Watching = {
  readonly flags: WatchFlags
  readonly namespace: string | null
  readonly url: string
  readonly terminal: Terminal
}

async function watch(client: Duetime, { flags, namespace, url, terminal }: Watching): Promise<void> {
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  process.once('SIGINT', stop).once('SIGTERM', stop)
  const status = new StatusLine(terminal)
  const tally = new Tally()
  let lines = 0
  try {
    // A server that is not there is said at once.
    await client.overview(namespace === null ? {} : { namespace }, { signal: stopping.signal })
    const onConnection = (isConnected: boolean) =>
      status.say(isConnected ? `watching ${url}` : `lost ${url}; trying again`)
    const events = client.live({ signal: stopping.signal, onConnection, ...(namespace !== null && { namespace }) })
    for await (const event of events) {
      const line = lineOf(event, flags, terminal)
      if (event.type === 'firing') tally.add(event.data)
      if (event.type === 'overview') status.show(pulseText(event.data))
      if (line === null) continue
      status.print(line)
      if (++lines === flags.count) break
    }
  } catch (error) {
    if (!stopping.signal.aborted) throw error
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop)
    status.end()
    if (flags.output === Format.table) terminal.err(summaryText(tally))
  }
}

/** Null for what was not asked for. */
function lineOf(event: LiveEvent, { changes, failures, output }: WatchFlags, terminal: Terminal): string | null {
  if (event.type !== 'firing' && event.type !== 'change') return null
  const isShown =
    event.type === 'firing' ? failures !== true || isFailure(event.data) : changes === true && failures !== true
  if (!isShown) return null
  if (output !== Format.table)
    return `${JSON.stringify(changes === true ? { event: event.type, ...event.data } : event.data)}\n`
  return event.type === 'firing' ? firingLine(event.data, terminal) : changeLine(event.data, terminal)
}
