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
import { burstRound, latenessRound, postgresParts } from './postgres.ts'
import type { PostgresParts } from './postgres.ts'

export const postgresNodes: Scenario = { name: 'postgres-nodes', run, apart: { results: 'postgres-nodes', picture: postgresPicture } }

const NODES_MAX = 3
const IN_FLIGHT = 60 // divided evenly among up to three nodes
const STORED = 200_000
const BURST = 5_000
const BALANCED_WITHIN_MS = 20_000
const CORES_EACH = 0.25

type Cluster = {
  readonly nodes: number
  readonly createsApart: number[]
  readonly firedApart: number[]
  readonly creates: number[]
  readonly fired: number[]
  readonly late: number[]
  readonly createUs: number[]
  readonly firedUs: number[]
}

async function run(bench: Bench): Promise<Measurement[]> {
  const parts = await postgresParts(bench)
  await parts.database.growTo(bench.timers(STORED))
  const generators = await Promise.all(
    Array.from({ length: NODES_MAX }, async () => {
      return (await bench.helper<Load, LoadResult>(new URL('../programs/load-generator.ts', import.meta.url))).helper
    }),
  )
  const servers: DuetimeServer[] = []
  const clusters: Cluster[] = []
  for (let nodes = 1; nodes <= NODES_MAX; nodes++) {
    servers.push(await bench.duetime({ databaseUrl: parts.database.url }))
    await balanced(servers)
    const cluster: Cluster = { nodes, createsApart: [], firedApart: [], creates: [], createUs: [], fired: [], firedUs: [], late: [] }
    clusters.push(cluster)
    for (let round = 0; round < bench.rounds; round++) await measureOnce({ bench, parts, servers, generators, cluster, round })
  }
  return clusters.flatMap((cluster) => figures(cluster, clusters[0]!))
}

type Round = {
  readonly bench: Bench
  readonly parts: PostgresParts
  readonly servers: readonly DuetimeServer[]
  readonly generators: readonly { ask(load: Load): Promise<LoadResult> }[]
  readonly cluster: Cluster
  readonly round: number
}

async function measureOnce(one: Round): Promise<void> {
  const { bench, parts, servers, cluster, round } = one
  const created = await createRound(one, 'c')
  cluster.creates.push(created.perSecond)
  cluster.createUs.push(created.databaseUs)
  const burst = await burstRound(parts, servers, { count: bench.timers(BURST), idPrefix: `n${cluster.nodes}${round}-` })
  cluster.fired.push(burst.delivered)
  cluster.firedUs.push(burst.databaseUs)
  cluster.late.push((await latenessRound(bench, parts, servers[0]!, `m${cluster.nodes}${round}-`)).latenessMs!.p99)
  await measureApart(one)
}

/** Nothing is measured where control groups are not ours to make. */
async function measureApart(one: Round): Promise<void> {
  const { bench, parts, servers, cluster, round } = one
  const shares = servers.map(({ pid }) => giveShare(pid, CORES_EACH))
  try {
    if (shares.includes(null)) return bench.progress('no control groups can be made here: the nodes share all cores')
    cluster.createsApart.push((await createRound(one, 'd')).perSecond)
    const burst = await burstRound(parts, servers, { count: bench.timers(BURST), idPrefix: `o${cluster.nodes}${round}-` })
    cluster.firedApart.push(burst.delivered)
  } finally {
    for (const share of shares) share?.release()
  }
}

async function createRound({ bench, parts, servers, generators, cluster, round }: Round, letter: string) {
  const databaseBefore = parts.postgres.cpuMs()
  const loads = await Promise.all(
    servers.map((server, index) => {
      return generators[index]!.ask({
        port: server.port,
        path: '/api/v1/timers/create',
        connections: IN_FLIGHT / servers.length,
        warmUpMs: bench.durationMs(1_500),
        durationMs: bench.durationMs(4_000),
        perSecond: null,
        idPrefix: `${letter}${cluster.nodes}${round}${index}`,
      })
    }),
  )
  const requests = loads.reduce((sum, load) => sum + load.requests, 0)
  const databaseUs = ((parts.postgres.cpuMs() - databaseBefore) / requests) * 1_000
  return { perSecond: loads.reduce((sum, load) => sum + load.perSecond, 0), databaseUs }
}

function figures(cluster: Cluster, alone: Cluster): Measurement[] {
  const name = cluster.nodes === 1 ? '1 node' : `${cluster.nodes} nodes`
  const notLower: Target | null = cluster === alone ? null : { shareAtLeast: 1 }
  const figure = (what: string, unit: Unit, key: Exclude<keyof Cluster, 'nodes'>, target: Target | null = null) =>
    measurement({
      scenario: 'postgres-nodes',
      what: `${name}: ${what}`,
      unit,
      rounds: cluster[key],
      ...(cluster !== alone && { raw: { what: '1 node', rounds: alone[key] } }),
      ...(target !== null && { target }),
    })
  const calls = `calls, ${BURST.toLocaleString('en-US')} due at once`
  const apart = cluster.createsApart.length === 0 ? [] : [
    figure(`durable creates, ${CORES_EACH} cores each`, '/s', 'createsApart', notLower),
    figure(`${calls}, ${CORES_EACH} cores each`, '/s', 'firedApart', notLower),
  ]
  return [
    ...apart,
    figure('durable creates, all cores shared', '/s', 'creates'),
    figure(`${calls}, all cores shared`, '/s', 'fired'),
    figure('lateness p99 at 100/s', 'ms', 'late', { atMost: 5 }),
    figure('CPU time of the database per create', 'µs', 'createUs'),
    figure('CPU time of the database per firing', 'µs', 'firedUs'),
  ]
}

/** Each node owns its share, as its own metrics say. */
async function balanced(servers: readonly DuetimeServer[]): Promise<void> {
  for (const until = Date.now() + BALANCED_WITHIN_MS; Date.now() < until; ) {
    const owned = await Promise.all(servers.map(async (server) => (await server.metrics()).get('duetime_owned_shards') ?? 0))
    if (Math.min(...owned) > 0 && Math.max(...owned) - Math.min(...owned) <= 1) return
  }
  throw new Error('the nodes did not share the shards out')
}
