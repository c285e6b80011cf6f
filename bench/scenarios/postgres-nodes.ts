// One, two and three nodes on one PostgreSQL server: what a node more costs and gives. Twice: with a part of a core for each
// node, as on machines of their own, where a node more brings its part along; and with all cores for all of them, where it
// brings nothing but the work of sending requests to the other nodes.

import type { Bench, Scenario } from '../harness/bench.ts'
import { giveShare } from '../harness/cpu-share.ts'
import type { DuetimeServer } from '../harness/duetime-server.ts'
import type { Load, LoadResult } from '../programs/load-generator.ts'
import { measurement } from '../report/measurement.ts'
import type { Measurement, Target, Unit } from '../report/measurement.ts'
import { postgresPicture } from '../report/picture.ts'
import { bareRound } from './lateness.ts'
import { latenessRound } from './postgres-lateness.ts'
import { burstRound, postgresParts } from './postgres.ts'
import type { PostgresParts } from './postgres.ts'

export const postgresNodes: Scenario = {
  name: 'postgres-nodes',
  run,
  apart: { results: 'postgres-nodes', picture: postgresPicture },
}

const NODES_MAX = 3
const IN_FLIGHT = 60 // divided evenly among up to three nodes
const STORED = 200_000
const BURST = 5_000
const BALANCED_WITHIN_MS = 20_000
const CORES_EACH = 0.25
const CREATING_MS = 2_500
const CREATE_PASSES = 3 // one after the other, so that a bad moment of the machine does not hit the same cluster
const COMPILED_WITHIN_MS = 15_000 // each node gets a part of the creates only, and has compiled its code by then

/** One for each number of nodes, on databases of one server, so that they can take turns: the machine is not the same from minute to minute. */
type Cluster = { readonly servers: readonly DuetimeServer[]; readonly figures: Map<What, number[]> }

type What =
  | 'creates'
  | 'createUs'
  | 'unnamed'
  | 'calls'
  | 'callUs'
  | 'late'
  | 'floor'
  | 'createsApart'
  | 'unnamedApart'
  | 'callsApart'

type Generators = readonly { ask(load: Load): Promise<LoadResult> }[]
type Parts = { readonly bench: Bench; readonly parts: PostgresParts; readonly generators: Generators }
type Measure = (servers: readonly DuetimeServer[], pass: string) => Promise<Partial<Record<What, number>>>

async function run(bench: Bench): Promise<Measurement[]> {
  const parts = await postgresParts(bench)
  const generators = await Promise.all(
    Array.from({ length: NODES_MAX }, async () => {
      return (await bench.helper<Load, LoadResult>(new URL('../programs/load-generator.ts', import.meta.url))).helper
    }),
  )
  const all: Parts = { bench, parts, generators }
  const clusters: Cluster[] = []
  for (let nodes = 1; nodes <= NODES_MAX; nodes++) clusters.push(await start(all, nodes))
  for (let round = 0; round < bench.rounds; round++) await measureAll(all, clusters, round)
  return clusters.flatMap((cluster) => figures(cluster, clusters[0]!))
}

/** Each figure of all clusters, one right after the other, and each cluster is the first as often as the others. */
async function measureAll(all: Parts, clusters: readonly Cluster[], round: number): Promise<void> {
  for (const { measure, passes } of measures(all)) {
    const sums = new Map<Cluster, Map<What, number>>(clusters.map((cluster) => [cluster, new Map()]))
    for (let pass = 0; pass < passes; pass++) {
      const first = (round + pass) % clusters.length
      for (const cluster of [...clusters.slice(first), ...clusters.slice(0, first)]) {
        const measured = Object.entries(await measure(cluster.servers, `${round}${pass}`)) as [What, number][]
        for (const [what, value] of measured)
          sums.get(cluster)!.set(what, (sums.get(cluster)!.get(what) ?? 0) + value / passes)
      }
    }
    for (const [cluster, values] of sums)
      for (const [what, value] of values) cluster.figures.getOrInsert(what, []).push(value)
  }
}

function measures(all: Parts): readonly { readonly passes: number; readonly measure: Measure }[] {
  const { bench, parts } = all
  const creates: Measure = async (servers, pass) => {
    const { perSecond, databaseUs } = await createRound(all, servers, { idPrefix: `c${pass}` })
    return { creates: perSecond, createUs: databaseUs }
  }
  const unnamed: Measure = async (servers, pass) => ({
    unnamed: (await createRound(all, servers, { idPrefix: `u${pass}`, withoutIds: true })).perSecond,
  })
  const calls: Measure = async (servers, pass) => {
    const { delivered, databaseUs } = await burstRound(parts, servers, {
      count: bench.timers(BURST),
      idPrefix: `n${pass}-`,
    })
    return { calls: delivered, callUs: databaseUs }
  }
  const lateness: Measure = async (servers, pass) => ({
    floor: (await bareRound(parts, bench.durationMs(4_000), 100)).latenessMs!.p99,
    late: (await latenessRound(bench, parts, servers[0]!, `m${pass}-`)).latenessMs!.p99,
  })
  const createsApart = apart(all, async (servers, pass) => ({
    createsApart: (await createRound(all, servers, { idPrefix: `d${pass}` })).perSecond,
  }))
  const unnamedApart = apart(all, async (servers, pass) => {
    return { unnamedApart: (await createRound(all, servers, { idPrefix: `v${pass}`, withoutIds: true })).perSecond }
  })
  const callsApart = apart(all, async (servers, pass) => {
    return {
      callsApart: (await burstRound(parts, servers, { count: bench.timers(BURST), idPrefix: `o${pass}-` })).delivered,
    }
  })
  return [
    ...[creates, unnamed, createsApart, unnamedApart].map((measure) => ({ measure, passes: CREATE_PASSES })),
    ...[calls, callsApart, lateness].map((measure) => ({ measure, passes: 1 })),
  ]
}

/** With a part of a core for each node. Nothing is measured where control groups are not ours to make. */
function apart({ bench }: Parts, measure: Measure): Measure {
  return async (servers, pass) => {
    const shares = servers.map(({ pid }) => giveShare(pid, CORES_EACH))
    try {
      if (!shares.includes(null)) return await measure(servers, pass)
      bench.progress('no control groups can be made here: the nodes share all cores')
      return {}
    } finally {
      for (const share of shares) share?.release()
    }
  }
}

async function start(all: Parts, nodes: number): Promise<Cluster> {
  const { bench, parts } = all
  const database = await parts.postgres.database()
  await database.growTo(bench.timers(STORED))
  const servers: DuetimeServer[] = []
  for (let node = 0; node < nodes; node++) servers.push(await bench.duetime({ databaseUrl: database.url }))
  await balanced(servers)
  await createRound(all, servers, { idPrefix: 'w00', durationMs: COMPILED_WITHIN_MS })
  return { servers, figures: new Map() }
}

type Creating = { readonly idPrefix: string; readonly durationMs?: number; readonly withoutIds?: boolean }

async function createRound({ bench, parts, generators }: Parts, servers: readonly DuetimeServer[], creating: Creating) {
  const { idPrefix, durationMs = CREATING_MS, withoutIds = false } = creating
  const databaseBefore = parts.postgres.cpuMs()
  const loads = await Promise.all(
    servers.map((server, index) => {
      return generators[index]!.ask({
        port: server.port,
        path: '/api/v1/timers/create',
        connections: IN_FLIGHT / servers.length,
        warmUpMs: bench.durationMs(1_000),
        durationMs: bench.durationMs(durationMs),
        perSecond: null,
        idPrefix: `${idPrefix}${index}`,
        withoutIds,
      })
    }),
  )
  const requests = loads.reduce((sum, load) => sum + load.requests, 0)
  const databaseUs = ((parts.postgres.cpuMs() - databaseBefore) / requests) * 1_000
  return { perSecond: loads.reduce((sum, load) => sum + load.perSecond, 0), databaseUs }
}

function figures(cluster: Cluster, alone: Cluster): Measurement[] {
  const nodes = cluster.servers.length
  const name = nodes === 1 ? '1 node' : `${nodes} nodes`
  const figure = (what: string, unit: Unit, key: What, target: Target | null = null) => {
    const rounds = cluster.figures.get(key)
    if (rounds === undefined) return []
    const raw = cluster === alone ? {} : { raw: { what: '1 node', rounds: alone.figures.get(key)! } }
    const goal = target === null || cluster === alone ? {} : { target }
    return [measurement({ scenario: 'postgres-nodes', what: `${name}: ${what}`, unit, rounds, ...raw, ...goal })]
  }
  const calls = `calls, ${BURST.toLocaleString('en-US')} due at once`
  const each = `${CORES_EACH} cores each`
  const notLower: Target = { shareAtLeast: 1 }
  return [
    ...figure(`durable creates, ${each}`, '/s', 'createsApart', notLower),
    ...figure(`durable creates without an id, ${each}`, '/s', 'unnamedApart', notLower),
    ...figure(`${calls}, ${each}`, '/s', 'callsApart', notLower),
    ...figure('durable creates, all cores shared', '/s', 'creates'),
    ...figure('durable creates without an id, all cores shared', '/s', 'unnamed'),
    ...figure(`${calls}, all cores shared`, '/s', 'calls'),
    ...figure('lateness p99 at 100/s', 'ms', 'late', { timesAtMost: 1.25 }),
    ...figure('lateness p99 of setTimeout and a bare HTTP client', 'ms', 'floor'),
    ...figure('CPU time of the database per create', 'µs', 'createUs'),
    ...figure('CPU time of the database per firing', 'µs', 'callUs'),
  ]
}

/** Each node owns its share, as its own metrics say. */
async function balanced(servers: readonly DuetimeServer[]): Promise<void> {
  for (const until = Date.now() + BALANCED_WITHIN_MS; Date.now() < until;) {
    const owned = await Promise.all(
      servers.map(async (server) => (await server.metrics()).get('duetime_owned_shards') ?? 0),
    )
    if (Math.min(...owned) > 0 && Math.max(...owned) - Math.min(...owned) <= 1) return
  }
  throw new Error('the nodes did not share the shards out')
}
