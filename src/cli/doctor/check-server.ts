// A running server: whether it answers, what it says about its parts, how late it is and how much waits. By plain
// requests, so that each answer is judged for itself.

import { measuredText } from '../output/readable-time.ts'
import { counted, timersText } from '../transfer/progress-bar.ts'
import { VERSION } from '../../runtime/version.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import { Findings, messageOf } from './finding.ts'
import type { Finding } from './finding.ts'

const ANSWER_MS = 5_000
const LATENESS_WARN_MS = 100
const FIRINGS_MIN = 100 // fewer say little about the slowest hundredth
const LAG_WARN_MS = 5_000
const QUEUE_WARN = 5_000
const SKEW_WARN_MS = 500

export type ServerQuestion = {
  readonly url: string
  readonly apiKey: string | null
  /** Somebody named the server, so it must be there. */
  readonly isNamed: boolean
  readonly clock: Clock
}

type Ask = (path: string) => Promise<Response>

export async function checkServer({ url, apiKey, isNamed, clock }: ServerQuestion): Promise<readonly Finding[]> {
  const findings = new Findings('server')
  const headers: Record<string, string> = apiKey === null ? {} : { 'x-api-key': apiKey }
  const ask: Ask = (path) => fetch(url + path, { headers, signal: AbortSignal.timeout(ANSWER_MS), redirect: 'manual' })
  if (await checkHealth(ask, { url, isNamed, clock }, findings)) {
    await checkReady(ask, findings)
    await checkWork(ask, findings)
  }
  return findings.all
}

type Health = { readonly data?: { readonly version?: string; readonly timestamp?: string } }

async function checkHealth(
  ask: Ask,
  { url, isNamed, clock }: Omit<ServerQuestion, 'apiKey'>,
  findings: Findings,
): Promise<boolean> {
  const start = '`duetime serve` starts one here; --url or DUETIME_URL names one elsewhere.'
  try {
    const before = clock.now()
    const { data } = (await (await ask('/healthz')).json()) as Health
    if (data?.version === undefined) throw new Error('what answers there is not Duetime')
    findings.ok(`${url} is Duetime ${data.version}`)
    if (data.version !== VERSION)
      findings.warn(`this program is version ${VERSION}`, 'Use the same version on both sides.')
    const skewMs = Math.max(before - Date.parse(data.timestamp ?? ''), Date.parse(data.timestamp ?? '') - clock.now())
    if (skewMs > SKEW_WARN_MS) {
      findings.warn(
        `its clock and this machine’s are ${measuredText(skewMs)} apart`,
        'Let chrony or systemd-timesyncd set both.',
      )
    }
    return true
  } catch (error) {
    const reason = messageOf((error as Error).cause ?? error)
    if (isNamed) findings.fail(`no server at ${url}: ${reason}`, start)
    else findings.skip(`no server answers at ${url}; ${start}`)
    return false
  }
}

async function checkReady(ask: Ask, findings: Findings): Promise<void> {
  const { status, parts } = (await (await ask('/readyz')).json()) as {
    status: string
    parts: Readonly<Record<string, string>>
  }
  const broken = Object.entries(parts).filter(([, state]) => state !== 'ok')
  if (status === 'ready') findings.ok(`it is ready: ${Object.keys(parts).join(', ')}`)
  const names = broken.map(([part, state]) => `${part} (${state})`).join(', ')
  if (status === 'degraded') findings.warn(`it serves requests without ${names}`, 'Its log says more.')
  if (status === 'not ready') {
    findings.fail(`it is not ready because of ${names}`, 'Its log says more; the checks above may name the cause.')
  }
}

/** What the metrics tell about the work. They name every namespace, so a key that may not see all of them sees none. */
async function checkWork(ask: Ask, findings: Findings): Promise<void> {
  const answer = await ask('/metrics')
  if (answer.status === 401 || answer.status === 403) {
    return findings.skip(
      'how it works cannot be seen without a key that may read all namespaces: --api-key or DUETIME_API_KEY',
    )
  }
  const samples = readMetrics(await answer.text())
  const sum = (metric: string, label = '') => {
    const meant = samples.filter(({ name, labels }) => name === metric && labels.includes(label))
    return meant.reduce((total, { value }) => total + value, 0)
  }
  judgeLateness(samples, findings)
  const waiting = sum('duetime_commit_queue_length')
  const queue = `${counted(waiting)} writes wait for the database`
  if (waiting > QUEUE_WARN) findings.warn(queue, 'It is slower than the requests: see its durable writes above.')
  else findings.ok(queue)
  const failed = sum('duetime_timers', 'status="failed"')
  if (failed > 0) {
    findings.warn(
      `${timersText(failed)} failed for good`,
      '`duetime list --status failed` shows why, and `duetime retry --all` tries them again.',
    )
  }
  const ready = sum('duetime_ready_deliveries')
  if (ready > 0) {
    findings.warn(
      `${timersText(ready)} ${ready === 1 ? 'is' : 'are'} due and ${ready === 1 ? 'waits' : 'wait'} for a free slot`,
      'Receivers are slow: see DELIVERIES_MAX and DELIVERIES_PER_TARGET_MAX.',
    )
  }
  const pinnedNowhere = sum('duetime_waiting_shards')
  if (pinnedNowhere > 0) {
    findings.warn(
      `${counted(pinnedNowhere)} shards wait for a node with the label that they are pinned to`,
      'Start such a node, or change the rule: `duetime shards` shows it.',
    )
  }
  const unsplit = sum('duetime_unsplit_shards')
  if (unsplit > 0) findings.ok(`a reshard is under way: ${counted(unsplit)} shards are left`)
  const lag = await largestLag(ask)
  if (lag > LAG_WARN_MS) {
    findings.warn(
      `the latest timer is ${measuredText(lag)} overdue`,
      '`duetime cluster` shows the shard, `duetime watch` what fires.',
    )
  }
}

function judgeLateness(samples: readonly Sample[], findings: Findings): void {
  const buckets = samples.filter(({ name }) => name === 'duetime_lateness_seconds_bucket')
  const sums = new Map<number, number>()
  for (const { labels, value } of buckets) {
    const border = Number(/le="([^"]+)"/.exec(labels)?.[1]?.replace('+Inf', 'Infinity'))
    sums.set(border, (sums.get(border) ?? 0) + value)
  }
  const total = sums.get(Infinity) ?? 0
  if (total === 0) return findings.ok('nothing has fired since it started')
  const border = [...sums].toSorted(([a], [b]) => a - b).find(([, count]) => count >= total * 0.99)![0] * 1_000
  const within = border === Infinity ? 'more than an hour' : measuredText(border)
  const said = `of ${counted(total)} firings since it started, 99% began within ${within} of their time`
  const isLate = border > LATENESS_WARN_MS && total >= FIRINGS_MIN
  if (isLate) findings.warn(said, 'Look for a slow disk, a busy machine or a time when it was stopped.')
  else findings.ok(said)
}

type Sample = { readonly name: string; readonly labels: string; readonly value: number }

function readMetrics(text: string): readonly Sample[] {
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
    return name === undefined ? [] : [{ name, labels, value: Number(value) }]
  })
}

async function largestLag(ask: Ask): Promise<number> {
  const answer = await ask('/api/v1/cluster')
  if (!answer.ok) return 0
  const { shards } = (await answer.json()) as {
    readonly shards: readonly { readonly own: { readonly lagMs: number } | null }[]
  }
  return Math.max(0, ...shards.map(({ own }) => own?.lagMs ?? 0))
}
