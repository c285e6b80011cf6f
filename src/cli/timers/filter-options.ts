// Which timers a list, a cancel or a retry of many means.

import type { Status, TimerFilter } from '@duetime/client'
import { InvalidArgumentError, Option } from 'commander'
import type { Command } from 'commander'
import { Status as Statuses } from '../../core/timer/timer.ts'
import type { Terminal } from '../command/terminal.ts'
import { readInstant } from '../when/when.ts'
import { readLabel } from './given-values.ts'

export type FilterFlags = {
  readonly status?: readonly Status[]
  readonly dueFrom?: string
  readonly dueBefore?: string
  readonly metadata?: string
}

const GROUP = 'Which timers:'

export function addFilterOptions(command: Command, { status = true } = {}): Command {
  const option = (made: Option) => command.addOption(made.helpGroup(GROUP))
  if (status)
    option(
      new Option('--status <words>', `${Object.values(Statuses).join(', ')}; several with commas`).argParser(
        readStatuses,
      ),
    )
  option(new Option('--due-from <when>', 'due then or later: now works, and 2d ago, tomorrow 9:00'))
  option(new Option('--due-before <when>', 'due before then'))
  return option(new Option('--metadata <key=value>', 'with this label; the key alone for any value'))
}

function readStatuses(text: string, before: readonly Status[] = []): readonly Status[] {
  const known: readonly string[] = Object.values(Statuses)
  const words = text.split(',').map((word) => word.trim().toLowerCase())
  const unknown = words.find((word) => !known.includes(word))
  if (unknown !== undefined) throw new InvalidArgumentError(`"${unknown}" is none of ${known.join(', ')}.`)
  return [...before, ...(words as Status[])]
}

export function filterOf(
  { status, dueFrom, dueBefore, metadata }: FilterFlags,
  { clock, environment }: Terminal,
): TimerFilter {
  const viewpoint = { now: clock.now(), timeZone: environment.timeZone }
  const instant = (text: string) =>
    text.trim().toLowerCase() === 'now'
      ? Temporal.Instant.fromEpochMilliseconds(viewpoint.now).toString()
      : readInstant(text, viewpoint)
  return {
    ...(status !== undefined && { status: [...status] }),
    ...(dueFrom !== undefined && { dueFrom: instant(dueFrom) }),
    ...(dueBefore !== undefined && { dueTo: instant(dueBefore) }),
    ...(metadata !== undefined && labelFilter(metadata)),
  }
}

function labelFilter(text: string): Pick<TimerFilter, 'metadataKey' | 'metadataValue'> {
  if (!text.includes('=')) return { metadataKey: text }
  const [metadataKey, value] = readLabel(text)
  return value === null ? { metadataKey } : { metadataKey, metadataValue: value }
}
