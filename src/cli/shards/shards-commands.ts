// `duetime shards` and `duetime reshard`, and how their flags are read. They work on the database itself: who may reach it may do
// everything to it, so there is no key to ask for.

import { InvalidArgumentError, Option } from 'commander'
import type { Command } from 'commander'
import { parseLabel } from '../../core/cluster/layout.ts'
import type { WhenNoneLives } from '../../core/cluster/layout.ts'
import { DuetimeError } from '../../core/errors.ts'
import { SHARDS_MAX } from '../../core/limits.ts'
import { parseNamespace } from '../../core/timer/ids.ts'
import type { Namespace } from '../../core/timer/timer.ts'
import { addSettings, givenFlags } from '../command/given-flags.ts'
import type { Flags } from '../command/given-flags.ts'
import { outputOption } from '../output/format.ts'
import type { Format } from '../output/format.ts'
import { examples } from '../timers/one-timer-commands.ts'

type Place = { readonly flags: Flags }
type RuleFlags = { readonly label?: string; readonly whenNoneLives: WhenNoneLives }

export type ReshardRequest = Place & {
  /** Null: only finish what was begun. */
  readonly to: number | null
  /** Null: the namespaces that share their shards. */
  readonly namespace: Namespace | null
}

export type ShardsActions = {
  readonly shards: (options: Place & { readonly output: Format }) => Promise<void>
  /** A label that is null takes the rule away. */
  readonly pin: (
    options: Place & {
      readonly namespace: Namespace | null
      readonly label: string | null
      readonly whenNoneLives: WhenNoneLives
    },
  ) => Promise<void>
  readonly reshard: (options: ReshardRequest) => Promise<void>
}

const FLAGS = ['database-url', 'timer-db-path']
const GROUP = 'PostgreSQL'
const SHARED = '*'

export function addShardsCommands(program: Command, actions: ShardsActions): void {
  const shards = program
    .command('shards')
    .description('show which namespaces have shards of their own and which nodes may own them, or change the latter')
    .addOption(outputOption())
    .addHelpText('after', examples('duetime shards', 'duetime shards pin eu --label eu --when-none-lives wait'))
  addPlace(shards)
  shards.action(({ output }: { readonly output: Format }) => actions.shards({ output, flags: givenFlags(shards) }))

  const pin = shards
    .command('pin')
    .description('let only nodes with a label own the shards of a namespace; nodes may run meanwhile')
    .argument('<namespace>', 'a namespace with shards of its own, or * for those that share theirs', namespaceOf)
    .requiredOption('--label <label>', 'a label that nodes have by NODE_LABELS', labelOf)
    .addOption(
      new Option('--when-none-lives <rule>', 'while no such node lives: the timers wait, or other nodes take them over')
        .choices(['wait', 'others'])
        .default('others'),
    )
    .addHelpText(
      'after',
      examples('duetime shards pin eu --label eu --when-none-lives wait', `duetime shards pin '*' --label general`),
    )
  addPlace(pin)
  pin.action((namespace: Namespace | null, { label, whenNoneLives }: RuleFlags) =>
    actions.pin({ namespace, label: label!, whenNoneLives, flags: givenFlags(pin) }),
  )

  const unpin = shards
    .command('unpin')
    .description('let all nodes own the shards of a namespace again')
    .argument('<namespace>', 'a namespace with shards of its own, or * for those that share theirs', namespaceOf)
    .addHelpText('after', examples('duetime shards unpin eu'))
  addPlace(unpin)
  unpin.action((namespace: Namespace | null) =>
    actions.pin({ namespace, label: null, whenNoneLives: 'others', flags: givenFlags(unpin) }),
  )
  addReshard(program, actions)
}

function addReshard(program: Command, actions: ShardsActions): void {
  const reshard = program
    .command('reshard')
    .description('spread the timers over another number of shards; run again, it goes on where it stopped')
    .option('--to <shards>', `how many: 1 to ${SHARDS_MAX}; 0 lets a namespace share again`, countOf)
    .option('--namespace <name>', 'give this namespace shards of its own; without it: those that share', namespaceOf)
    .addHelpText('after', RESHARD_HELP)
  addPlace(reshard, ['lease'])
  type Given = { readonly to?: number; readonly namespace?: Namespace | null }
  reshard.action(({ namespace = null, ...given }: Given) => {
    const to = given.to ?? null
    if (to === null && namespace !== null) reshard.error('error: --namespace needs --to')
    if (to === 0 && namespace === null) reshard.error('error: --to 0 is for one namespace: name it with --namespace')
    return actions.reshard({ to, namespace, flags: givenFlags(reshard) })
  })
}

function addPlace(command: Command, more: readonly string[] = []): void {
  addSettings(command, ({ flag, group }) => FLAGS.includes(flag) || more.includes(flag) || group === GROUP)
}

function namespaceOf(text: string): Namespace | null {
  return text === SHARED ? null : said(() => parseNamespace(text))
}

function labelOf(text: string): string {
  return said(() => parseLabel(text))
}

function countOf(text: string): number {
  const count = Number(text)
  if (!/^\d+$/.test(text) || count > SHARDS_MAX)
    throw new InvalidArgumentError(`A number from 0 to ${SHARDS_MAX} is needed.`)
  return count
}

function said<T>(parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    throw error instanceof DuetimeError ? new InvalidArgumentError(error.message) : error
  }
}

const RESHARD_HELP = `
While nodes run, they split their shards themselves and timers go on firing, if the new number is a multiple of the old one.
Everything else, and a SQLite file, needs that no node runs. Interrupted then, it is run again, without flags; nodes serve nothing
until it is finished.

Examples:
  duetime reshard --to 256
  duetime reshard --namespace eu --to 8          shards of its own, which can be pinned: see duetime shards pin
  duetime reshard --namespace eu --to 0          share them again
  duetime reshard                                finish what was begun
`
