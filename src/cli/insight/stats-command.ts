// `duetime stats`: how many timers there are, what happened lately, how late it was, and what comes.

import { Option } from 'commander'
import type { Forecast, Overview } from '@duetime/client'
import type { Command } from 'commander'
import { addConnectionOptions, connectionOf, withClient } from '../command/connection.ts'
import type { ConnectionFlags } from '../command/connection.ts'
import { outputOption, positiveInteger, print } from '../output/format.ts'
import type { Format } from '../output/format.ts'
import { measuredText, wallClock } from '../output/readable-time.ts'
import { table } from '../output/table.ts'
import { counted } from '../transfer/progress-bar.ts'
import type { Terminal } from '../command/terminal.ts'
import { examples } from '../timers/one-timer-commands.ts'
import { barChart } from './bar-chart.ts'

type Step = 'second' | 'minute' | 'hour'
type StatsFlags = ConnectionFlags & { readonly step: Step; readonly steps: number; readonly output: Format }

const STEPS_DEFAULT = 12

export function addStatsCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('stats')
    .description('show counts, rates, lateness and what comes next')
    .addOption(new Option('--step <unit>', 'of the forecast').choices(['second', 'minute', 'hour']).default('minute'))
    .option('--steps <number>', 'how many of them', positiveInteger, STEPS_DEFAULT)
    .addOption(outputOption())
  addConnectionOptions(command).addHelpText(
    'after',
    examples('duetime stats', 'duetime stats -n orders --step hour --steps 24'),
  )
  command.action(async (flags: StatsFlags) => {
    const connection = connectionOf(flags, terminal.environment)
    const scope = connection.namespace === null ? {} : { namespace: connection.namespace }
    const value = await withClient(connection, async (client) => {
      const { step, steps } = flags
      const [overview, forecast] = await Promise.all([
        client.overview(scope),
        client.forecast({ ...scope, step, steps }),
      ])
      return { overview, forecast }
    })
    await print({ value, text: () => statsText(value, flags, terminal) }, flags.output, terminal)
  })
}

type Shown = { readonly overview: Overview; readonly forecast: Forecast }

const STATUSES = ['pending', 'executing', 'paused', 'completed', 'failed', 'canceled']
const ACTIVITIES = ['created', 'canceled', 'fired', 'delivered', 'retried', 'failed'] as const
const NAMESPACES_SHOWN = 10

function statsText({ overview, forecast }: Shown, { step }: StatsFlags, terminal: Terminal): string {
  const { paint } = terminal
  const head = `${paint('bold', `Duetime ${overview.version}`)} on ${overview.database}, node ${overview.node}\n`
  const past = [countsText(overview, terminal), activityText(overview, terminal), latenessText(overview)]
  return [head, ...past, forecastText(forecast, step, terminal)].join('\n')
}

function countsText({ counts, namespaces }: Overview, terminal: Terminal): string {
  const columns = [
    { title: 'TIMERS', shrinksTo: 12 },
    ...STATUSES.map((title) => ({ title: title.toUpperCase(), align: 'right' as const })),
  ]
  const row = (name: string, of: Readonly<Record<string, number | string>>) => [
    name,
    ...STATUSES.map((status) => counted(Number(of[status] ?? 0))),
  ]
  const shown = namespaces.length > 1 ? namespaces.slice(0, NAMESPACES_SHOWN) : []
  return table(columns, [row('all', counts), ...shown.map((one) => row(one.namespace, one))], terminal)
}

function activityText({ lastMinute, lastHour }: Overview, terminal: Terminal): string {
  const columns = [
    { title: 'IN THE LAST' },
    ...ACTIVITIES.map((title) => ({ title: title.toUpperCase(), align: 'right' as const })),
  ]
  const row = (name: string, of: Overview['lastMinute']) => [name, ...ACTIVITIES.map((what) => counted(of[what]))]
  return table(columns, [row('minute', lastMinute), row('hour', lastHour)], terminal)
}

function latenessText({ lateness: { p50, p90, p99, max } }: Overview): string {
  if (p50 === null || p90 === null || p99 === null || max === null) return 'Lateness: nothing fired in the last hour.\n'
  const [half, most, nearlyAll, all] = [p50, p90, p99, max].map(measuredText)
  return `Lateness in the last hour: half within ${half}, 90% within ${most}, 99% within ${nearlyAll}, at most ${all}.\n`
}

function forecastText({ steps, overdue, complete, peak }: Forecast, step: Step, terminal: Terminal): string {
  const {
    paint,
    environment: { timeZone },
  } = terminal
  const late = overdue > 0 ? `${paint('yellow', `${counted(overdue)} are overdue.`)}\n` : ''
  if (peak === null) return `${late}Nothing comes due in the next ${steps.length} ${step}s.\n`
  const bars = steps.map(({ at, count, hot }) => ({
    label: labelText(Date.parse(at), step, timeZone),
    count,
    isHot: hot,
  }))
  return `${late}Due in each ${step} to come${complete ? '' : ' (there are more than were counted)'}:\n${barChart(bars, terminal)}`
}

function labelText(at: number, step: Step, timeZone: string): string {
  const [, time = ''] = wallClock(at, timeZone).split(' ')
  return step === 'second' ? time.slice(0, 8) : time.slice(0, 5)
}
