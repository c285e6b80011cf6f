// What Duetime wants to reach beside its peers, as a table: judged by the figures of a run, so that nobody copies any by hand. Of
// a goal that is missed the table names the section of docs/limits.md that says what limits it, and what was tried.

import type { Row, SystemFigure } from './results.ts'
import { ROWS } from './rows.ts'
import type { RowKey } from './rows.ts'
import { figure } from './tables.ts'

type Goal = {
  readonly what: string
  readonly row: RowKey
  readonly system: string
  /** Whose best figure it is beside; all peers unless told. */
  readonly beside?: 'those on PostgreSQL' | 'BullMQ' | 'nobody'
  readonly goal:
    | { readonly timesAtLeast: number }
    | { readonly timesAtMost: number }
    | { readonly atMost: number }
    | { readonly atLeast: number }
  /** The heading in docs/limits.md. */
  readonly limits: string
}

const ON_POSTGRES = ['pg-boss', 'graphile-worker']
const LIBRARY = { sqlite: 'Duetime library, SQLite', postgres: 'Duetime library, PostgreSQL' }
const SERVICE = { sqlite: 'Duetime service, SQLite', postgres: 'Duetime service, PostgreSQL' }
const CREATES = 'single creates'
const BULK = 'creates in bulk'
const FUNCTIONS = 'due at once, a function each'
const POSTS = 'due at once, a POST each'
const LATENESS = 'lateness'
const GROWTH = 'a million stored'
const KILLED = 'killed in a burst'
const ROOM = 'disk and memory'

export const GOALS: readonly Goal[] = [
  { what: 'single creates', row: 'creates', system: LIBRARY.sqlite, goal: { timesAtLeast: 2 }, limits: CREATES },
  { what: 'single creates', row: 'creates', system: SERVICE.sqlite, goal: { timesAtLeast: 1 }, limits: CREATES },
  ...(
    [
      [LIBRARY.postgres, 8],
      [SERVICE.postgres, 5],
    ] as const
  ).map(([system, times]): Goal => ({
    what: 'single creates',
    row: 'creates',
    system,
    beside: 'those on PostgreSQL',
    goal: { timesAtLeast: times },
    limits: CREATES,
  })),
  {
    what: 'creates in bulk',
    row: 'bulk',
    system: LIBRARY.sqlite,
    beside: 'BullMQ',
    goal: { timesAtLeast: 3 },
    limits: BULK,
  },
  { what: 'creates in bulk', row: 'bulk', system: LIBRARY.sqlite, goal: { timesAtLeast: 1 }, limits: BULK },
  {
    what: 'creates in bulk',
    row: 'bulk',
    system: LIBRARY.postgres,
    beside: 'those on PostgreSQL',
    goal: { timesAtLeast: 1 },
    limits: BULK,
  },
  {
    what: 'due at once, a function each',
    row: 'burst',
    system: LIBRARY.sqlite,
    goal: { timesAtLeast: 1.3 },
    limits: FUNCTIONS,
  },
  {
    what: 'due at once, a function each',
    row: 'burst',
    system: LIBRARY.postgres,
    goal: { timesAtLeast: 1 },
    limits: FUNCTIONS,
  },
  ...[LIBRARY, SERVICE].flatMap(({ sqlite, postgres }): Goal[] => [
    { what: 'due at once, a POST each', row: 'postBurst', system: sqlite, goal: { timesAtLeast: 1.3 }, limits: POSTS },
    { what: 'due at once, a POST each', row: 'postBurst', system: postgres, goal: { timesAtLeast: 1 }, limits: POSTS },
  ]),
  ...[LIBRARY.sqlite, LIBRARY.postgres].map((system): Goal => ({
    what: 'lateness p99 at 100/s, default settings',
    row: 'latenessDefault',
    system,
    goal: { atMost: 1.5 },
    limits: LATENESS,
  })),
  ...[SERVICE.sqlite, SERVICE.postgres].map((system): Goal => ({
    what: 'lateness p99 at 100/s, at a receiver',
    row: 'latenessPost',
    system,
    goal: { atMost: 3 },
    limits: LATENESS,
  })),
  ...[LIBRARY, SERVICE]
    .flatMap(({ sqlite, postgres }) => [sqlite, postgres])
    .map((system): Goal => ({
      what: 'killed in a burst: all done after',
      row: 'recovery',
      system,
      goal: { atMost: 1 },
      limits: KILLED,
    })),
  {
    what: 'creates, 1,000,000 against 10,000 stored',
    row: 'createsGrowth',
    system: LIBRARY.sqlite,
    goal: { atLeast: 0.9 },
    limits: GROWTH,
  },
  {
    what: 'due at once, 1,000,000 against 10,000 stored',
    row: 'burstGrowth',
    system: LIBRARY.sqlite,
    goal: { atLeast: 0.9 },
    limits: GROWTH,
  },
  {
    what: 'lateness p99, 1,000,000 against 10,000 stored',
    row: 'latenessGrowth',
    system: LIBRARY.sqlite,
    goal: { atMost: 1.1 },
    limits: GROWTH,
  },
  {
    what: 'disk of 1,000,000 timers',
    row: 'disk',
    system: LIBRARY.postgres,
    beside: 'those on PostgreSQL',
    goal: { timesAtMost: 1 },
    limits: ROOM,
  },
  {
    what: 'memory of the service, nothing stored',
    row: 'serviceEmpty',
    system: SERVICE.postgres,
    beside: 'nobody',
    goal: { atMost: 120 },
    limits: ROOM,
  },
  {
    what: 'memory of the service, after 1,000,000 came in',
    row: 'serviceFull',
    system: SERVICE.postgres,
    beside: 'nobody',
    goal: { atMost: 170 },
    limits: ROOM,
  },
]

export type Judged = Goal & {
  readonly unit: string
  /** Null where the run has no figure of it. */
  readonly own: SystemFigure | null
  readonly best: SystemFigure | null
  readonly ratio: number | null
  readonly isMet: boolean | null
}

export function judged(rows: readonly Row[]): readonly Judged[] {
  return GOALS.map((goal) => {
    const row = rows.find(({ key }) => key === goal.row)
    const own = row?.systems.find(({ name }) => name === goal.system) ?? null
    const best = row?.systems.find((system) => isBeside(goal, system)) ?? null
    const ratio = own === null || best === null ? null : own.value / best.value
    return { ...goal, unit: ROWS[goal.row].unit, own, best, ratio, isMet: isMet(goal, own, ratio) }
  })
}

function isBeside({ beside }: Goal, { name, isDuetime }: SystemFigure): boolean {
  if (isDuetime || beside === 'nobody') return false
  if (beside === 'BullMQ') return name === beside
  return beside === undefined || ON_POSTGRES.includes(name)
}

function isMet({ goal }: Goal, own: SystemFigure | null, ratio: number | null): boolean | null {
  if (own === null) return null
  if ('atMost' in goal) return own.value <= goal.atMost
  if ('atLeast' in goal) return own.value >= goal.atLeast
  if (ratio === null) return null
  return 'timesAtLeast' in goal ? ratio >= goal.timesAtLeast : ratio <= goal.timesAtMost
}

export function goalsTable(rows: readonly Row[]): string {
  const goals = judged(rows)
  const lines = goals.map((one) => {
    const { what, system, beside, best, own, ratio, unit } = one
    const peer = best === null ? '-' : `${best.name} ${figure(best.value)} ${unit}`
    const whose = beside === 'those on PostgreSQL' && best !== null ? ` (of ${beside})` : ''
    const figures = own === null ? 'not measured' : `${figure(own.value)} ${unit}`
    return `| ${what}: ${shortName(system)} | ${peer}${whose} | ${figures} | ${ratio === null ? '-' : ratio.toFixed(2)} | ${goalText(one)} | ${verdict(one)} |`
  })
  const met = goals.filter((one) => one.isMet === true).length
  return [
    '| row | best peer | Duetime | ratio | goal | |',
    '|---|---|---:|---:|---|---|',
    ...lines,
    '',
    `${met} of ${goals.length} are met.`,
  ].join('\n')
}

function goalText({ goal, unit }: Judged): string {
  if ('timesAtLeast' in goal) return `ratio ≥ ${goal.timesAtLeast}`
  if ('timesAtMost' in goal) return `ratio ≤ ${goal.timesAtMost}`
  return 'atMost' in goal ? `≤ ${goal.atMost} ${unit}` : `≥ ${goal.atLeast} ${unit}`
}

function verdict({ isMet: met, limits }: Judged): string {
  if (met === null) return ''
  return met ? 'met' : `missed: [what limits it](limits.md#${anchorOf(limits)})`
}

/** As GitHub makes it from a heading. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}

function shortName(system: string): string {
  return system.replace('Duetime ', '')
}
