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
import { burstRound, latenessRound, postgresParts } from './postgres.ts'
import type { PostgresParts } from './postgres.ts'

export const postgresNodes: Scenario = { name: 'postgres-nodes', run, apart: { results: 'postgres-nodes', picture: postgresPicture } }

const NODES_MAX = 3
const IN_FLIGHT = 60 // divided evenly among up to three nodes
const STORED = 200_000
const BURST = 5_000
const BALANCED_WITHIN_MS = 20_000
const CORES_EACH = 0.25
const COMPILED_WITHIN_MS = 15_000 // each node gets a part of the creates only, and has compiled its code by then

/** One of them for each number of nodes, on databases of one server, so that they can take turns: the machine is not the same from minute to minute. */
type Cluster = {
  readonly servers: readonly DuetimeServer[]
  readonly rounds: Round[]
}

type Round = {
  readonly creates: number
  readonly createUs: number
  readonly unnamed: number
  readonly fired: number
  readonly firedUs: number
  readonly late: number
  /** The same with setTimeout and a bare HTTP client. */
  readonly floor: number
  /** Null where control groups are not ours to make. */
  readonly apart: { readonly creates: number; readonly unnamed: number; readonly fired: number } | null
}

type Generators = readonly { ask(load: Load): Promise<LoadResult> }[]
type Parts = { readonly bench: Bench; readonly parts: PostgresParts; readonly generators: Generators }

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
  for (let round = 0; round < bench.rounds; round++) {
    // Each is the first once: what one has left to the server to clean up, the next one pays for.
    const order = [...clusters.slice(round % NODES_MAX), ...clusters.slice(0, round % NODES_MAX)]
    for (const { servers, rounds } of order) rounds.push(await measureOnce(all, servers, round))
  }
  return clusters.flatMap((cluster) => figures(cluster, clusters[0]!))
}

async function start(all: Parts, nodes: number): Promise<Cluster> {
  const { bench, parts } = all
  const database = await parts.postgres.database()
  await database.growTo(bench.timers(STORED))
  const servers: DuetimeServer[] = []
  for (let node = 0; node < nodes; node++) servers.push(await bench.duetime({ databaseUrl: database.url }))
  await balanced(servers)
  await createRound(all, servers, { letter: 'w', round: 0, durationMs: COMPILED_WITHIN_MS })
  return { servers, rounds: [] }
}

async function measureOnce(all: Parts, servers: readonly DuetimeServer[], round: number): Promise<Round> {
  const { bench, parts } = all
  const created = await createRound(all, servers, { letter: 'c', round })
  const unnamed = await createRound(all, servers, { letter: 'u', round, withoutIds: true })
  const burst = await burstRound(parts, servers, { count: bench.timers(BURST), idPrefix: `n${round}-` })
  const floor = (await bareRound(parts, bench.durationMs(4_000), 100)).latenessMs!.p99
  const late = (await latenessRound(bench, parts, servers[0]!, `m${round}-`)).latenessMs!.p99
  const apart = await measureApart(all, servers, round)
  const { perSecond: creates, databaseUs: createUs } = created
  return { creates, createUs, unnamed: unnamed.perSecond, fired: burst.delivered, firedUs: burst.databaseUs, late, floor, apart }
}

async function measureApart(all: Parts, servers: readonly DuetimeServer[], round: number): Promise<Round['apart']> {
  const { bench, parts } = all
  const shares = servers.map(({ pid }) => giveShare(pid, CORES_EACH))
  try {
    if (shares.includes(null)) {
      bench.progress('no control groups can be made here: the nodes share all cores')
      return null
    }
    const creates = (await createRound(all, servers, { letter: 'd', round })).perSecond
    const unnamed = (await createRound(all, servers, { letter: 'v', round, withoutIds: true })).perSecond
    const burst = await burstRound(parts, servers, { count: bench.timers(BURST), idPrefix: `o${round}-` })
    return { creates, unnamed, fired: burst.delivered }
  } finally {
    for (const share of shares) share?.release()
  }
}

type Creating = { readonly letter: string; readonly round: number; readonly durationMs?: number; readonly withoutIds?: boolean }

async function createRound({ bench, parts, generators }: Parts, servers: readonly DuetimeServer[], creating: Creating) {
  const { letter, round, durationMs = 4_000, withoutIds = false } = creating
  const databaseBefore = parts.postgres.cpuMs()
  const loads = await Promise.all(
    servers.map((server, index) => {
      return generators[index]!.ask({
        port: server.port,
        path: '/api/v1/timers/create',
        connections: IN_FLIGHT / servers.length,
        warmUpMs: bench.durationMs(1_500),
        durationMs: bench.durationMs(durationMs),
        perSecond: null,
        idPrefix: `${letter}${round}${index}-`,
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
  const notLower: Target | undefined = cluster === alone ? undefined : { shareAtLeast: 1 }
  const figure = (what: string, unit: Unit, value: (round: Round) => number | undefined, target?: Target) => {
    const of = ({ rounds }: Cluster) => rounds.map(value).filter((one) => one !== undefined)
    if (of(cluster).length === 0) return []
    const raw = cluster === alone ? {} : { raw: { what: '1 node', rounds: of(alone) } }
    return [measurement({ scenario: 'postgres-nodes', what: `${name}: ${what}`, unit, rounds: of(cluster), ...raw, ...(target && { target }) })]
  }
  const calls = `calls, ${BURST.toLocaleString('en-US')} due at once`
  const each = `${CORES_EACH} cores each`
  return [
    ...figure(`durable creates, ${each}`, '/s', ({ apart }) => apart?.creates, notLower),
    ...figure(`durable creates without an id, ${each}`, '/s', ({ apart }) => apart?.unnamed, notLower),
    ...figure(`${calls}, ${each}`, '/s', ({ apart }) => apart?.fired, notLower),
    ...figure('durable creates, all cores shared', '/s', ({ creates }) => creates),
    ...figure('durable creates without an id, all cores shared', '/s', ({ unnamed }) => unnamed),
    ...figure(`${calls}, all cores shared`, '/s', ({ fired }) => fired),
    ...figure('lateness p99 at 100/s', 'ms', ({ late }) => late, cluster === alone ? undefined : { timesAtMost: 1.25 }),
    ...figure('lateness p99 of setTimeout and a bare HTTP client', 'ms', ({ floor }) => floor),
    ...figure('CPU time of the database per create', 'µs', ({ createUs }) => createUs),
    ...figure('CPU time of the database per firing', 'µs', ({ firedUs }) => firedUs),
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
