// The dashboard and the alert rules, held against the metrics that the program has: both ways, since a metric that
// nobody looks at should not be there.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { silentLogger } from '../../src/runtime/telemetry/logger.ts'
import { Metrics } from '../../src/runtime/telemetry/metrics.ts'

const timerIn = (namespace: string, tenant: string | null = null) => ({ namespace, tenant })

const deploy = join(import.meta.dirname, '../../deploy')

type Query = { readonly expr: string }
type Panel = {
  readonly id: number
  readonly title: string
  readonly gridPos: Place
  readonly targets?: readonly Query[]
}
type Place = { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
type Variable = { readonly definition?: string }
type Dashboard = { readonly panels: readonly Panel[]; readonly templating: { readonly list: readonly Variable[] } }
type Rule = Query & {
  readonly alert: string
  readonly annotations: { readonly summary: string; readonly description: string }
}
type Rules = { readonly groups: readonly { readonly rules: readonly Rule[] }[] }

const dashboard = JSON.parse(readFileSync(join(deploy, 'grafana/duetime.json'), 'utf8')) as Dashboard
const rules = (parse(readFileSync(join(deploy, 'prometheus/duetime.rules.yaml'), 'utf8')) as Rules).groups.flatMap(
  (group) => group.rules,
)
const panelQueries = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
const queries = [...panelQueries, ...rules.map(({ expr }) => expr)]

/** Names of series and the labels that each has, as a scrape shows them. */
async function scraped(): Promise<Map<string, Set<string>>> {
  const metrics = new Metrics(silentLogger())
  const zero = () => 0
  metrics.watch({
    commitQueueLength: zero,
    windowTimers: zero,
    inFlightDeliveries: zero,
    readyDeliveries: zero,
    waitingToCatchUp: zero,
    ownedShards: zero,
  })
  metrics.watch({
    outboxEvents: zero,
    outboxOldestSeconds: zero,
    clockSkewSeconds: zero,
    unopenedShards: zero,
    layoutShards: zero,
    waitingShards: zero,
    forgottenClaims: zero,
  })
  metrics.watchUnits(() => ({ read: 0, write: 0 }))
  metrics.storeAnswered({ operation: 'commit', outcome: 'done', durationMs: 1 })
  metrics.watchShards(() => [{ shard: 0, windowTimers: 0, inFlight: 0, lagMs: 0 }])
  metrics.watchTimers(async () => [{ namespace: 'a', status: 'pending', count: 1 }])
  metrics.fired(timerIn('a'), 1)
  metrics.delivered(timerIn('a'), 'delivered', 1)
  metrics.created(timerIn('a'))
  metrics.committed(1, 1)
  metrics.commands.watch({ heldSeconds: zero, faults: zero })
  const text = await metrics.render()
  metrics.stop()
  const series = new Map<string, Set<string>>()
  for (const [, name, labels = ''] of text.matchAll(/^([a-z_]+)(?:\{(.*)\})? /gm)) {
    const known = series.get(name!) ?? new Set()
    for (const [, label] of labels.matchAll(/(\w+)="/g)) known.add(label!)
    series.set(name!, known)
  }
  return series
}

const WORDS = new Set(['by', 'without', 'or', 'and', 'unless', 'on', 'ignoring', 'bool', 'offset'])
/** What Prometheus adds by itself. */
const OWN_METRICS = new Map([['up', new Set<string>()]])
const OWN_LABELS = ['job', 'instance']

type Use = { readonly metric: string; readonly labels: readonly string[] }

/** The series that a query reads, each with the labels it is asked for by. */
function usesIn(query: string): Use[] {
  const bare = query
    .replaceAll(/"[^"]*"/g, '""')
    .replaceAll(/\b(?:by|without) \([^)]*\)/g, ' ')
    .replaceAll(/\[[^\]]*\]/g, ' ')
  return [...bare.matchAll(/\b([a-z_]+)\b(?!\s*\()(?:\{([^}]*)\})?/g)]
    .filter(([, name]) => !WORDS.has(name!))
    .map(([, metric, matchers = '']) => ({
      metric: metric!,
      labels: [...matchers.matchAll(/(\w+)\s*[=!]/g)].map(([, label]) => label!),
    }))
}

test('every series and label that a panel or an alert asks for is there', async () => {
  const series = new Map([...(await scraped()), ...OWN_METRICS])
  for (const query of queries) {
    const uses = usesIn(query)
    assert.ok(uses.length > 0, `nothing is read by ${query}`)
    for (const { metric, labels } of uses) {
      const known = series.get(metric)
      assert.ok(known !== undefined, `${metric} does not exist: ${query}`)
      for (const label of labels)
        assert.ok(known.has(label) || OWN_LABELS.includes(label), `${metric} has no label ${label}: ${query}`)
    }
    const grouped = [...query.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names]) => names!.split(', '))
    const isPossible = (label: string) =>
      OWN_LABELS.includes(label) || uses.some(({ metric }) => series.get(metric)!.has(label))
    for (const label of grouped) assert.ok(isPossible(label), `there is no label ${label} to group by: ${query}`)
  }
})

test('every metric of the service is looked at by a panel or an alert', async () => {
  const used = new Set(queries.flatMap(usesIn).map(({ metric }) => familyOf(metric)))
  const families = new Set([...(await scraped()).keys()].filter((name) => name.startsWith('duetime_')).map(familyOf))
  assert.deepEqual(
    [...families].filter((name) => !used.has(name)),
    [],
  )
})

function familyOf(name: string): string {
  return name.replace(/_(?:bucket|sum|count)$/, '')
}

test('the variables of the dashboard are filled from metrics that exist', async () => {
  const series = await scraped()
  const definitions = dashboard.templating.list.flatMap(({ definition }) => definition ?? [])
  assert.equal(definitions.length, 2)
  for (const definition of definitions) assert.ok(series.has(/label_values\((\w+)/.exec(definition)![1]!), definition)
})

test('no two panels share an id or a place', () => {
  assert.equal(new Set(dashboard.panels.map(({ id }) => id)).size, dashboard.panels.length)
  const overlaps = (a: Place, b: Place) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h
  for (const [index, panel] of dashboard.panels.entries()) {
    for (const other of dashboard.panels.slice(index + 1)) {
      assert.ok(!overlaps(panel.gridPos, other.gridPos), `${panel.title} and ${other.title}`)
    }
  }
})

test('every alert says what is wrong and what to do, and has a name of its own', () => {
  assert.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length)
  for (const { annotations } of rules) assert.ok(annotations.summary !== '' && annotations.description !== '')
})
