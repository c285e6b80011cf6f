// The way to the other nodes of the cluster: one keep-alive HTTP link per node, on which commands gather while a
// request is under way, as writes do in the commit queue; and beside it what nodes say to each other when shards move.
// The other side is http/internal-routes.ts.

import { Agent, request } from 'undici'
import type { Dispatcher } from 'undici'
import type { Command } from '../core/command.ts'
import { DuetimeError, unavailable } from '../core/errors.ts'
import type { ErrorCode, ErrorDetails } from '../core/errors.ts'
import type { ShardId } from '../core/timer.ts'
import type { Preparation } from '../engine/engine.ts'
import type { Landing, MovedShard, Neighbours, NextOwner } from '../engine/hand-over.ts'
import { notOwner } from '../engine/owned-rows.ts'
import type { Executed } from '../engine/shard.ts'
import type { Cancel, Clock } from '../runtime/clock.ts'
import type { Peers } from './command-router.ts'

export const COMMANDS_PATH = '/internal/v1/commands'
export const LOOK_PATH = '/internal/v1/look'
export const PREPARE_PATH = '/internal/v1/prepare'
export const MOVED_PATH = '/internal/v1/moved'
export const LANDING_PATH = '/internal/v1/landing'
const COMMANDS_MAX = 500 // in one request
const CHARS_MAX = 2 * 2 ** 20 // of payloads in one request, so that it stays below what a node accepts

export type WireCommands = { readonly commands: readonly Command[] }
export type WireResult =
  | { readonly type: 'executed'; readonly executed: Executed }
  | { readonly type: 'refused'; readonly code: ErrorCode; readonly message: string; readonly details: ErrorDetails }
export type WireResults = { readonly results: readonly WireResult[] }

export type WireMoved = { readonly moved: readonly MovedShard[] }
export type WireLanded = { readonly landed: boolean }

type Waiting = {
  readonly command: Command
  readonly since: number
  readonly resolve: (executed: Executed) => void
  readonly reject: (error: unknown) => void
}
type Link = { waiting: Waiting[]; inFlight: number; cancelGivingBack: Cancel | null }

const CONNECT_TIMEOUT_MS = 1_000
const ANSWER_TIMEOUT_MS = 10_000
const IN_FLIGHT_MAX = 2 // requests under way to one node: while one is answered the next is on its way
const LANDINGS_AT_ONCE = 8 // to one node; the others wait, and each holds a slot for deliveries here
const PREPARED_WITHIN_MS = 2_000 // a node that takes longer to read some pages is not one to hand timers to
const UNSENT_MS_MAX = 250 // then the command goes back, to be sent to whoever owns its timer by then: this node may hang

const AGENT_OPTIONS = {
  connect: { timeout: CONNECT_TIMEOUT_MS },
  headersTimeout: ANSWER_TIMEOUT_MS,
  bodyTimeout: ANSWER_TIMEOUT_MS,
  keepAliveTimeout: 30_000,
}

export class PeerLinks implements Peers, Neighbours {
  /** What the other nodes must show, and are shown. */
  readonly secret: string
  readonly #clock: Clock
  readonly #links = new Map<string, Link>()
  readonly #agent = new Agent(AGENT_OPTIONS)
  /** Apart, so that nothing waits behind them. */
  readonly #landings = new Agent({ ...AGENT_OPTIONS, connections: LANDINGS_AT_ONCE })

  constructor({ secret, clock }: { secret: string; clock: Clock }) {
    this.secret = secret
    this.#clock = clock
  }

  execute(address: string, command: Command): Promise<Executed> {
    return new Promise((resolve, reject) => {
      let link = this.#links.get(address)
      if (link === undefined) this.#links.set(address, (link = { waiting: [], inFlight: 0, cancelGivingBack: null }))
      link.waiting.push({ command, since: this.#clock.monotonic(), resolve, reject })
      this.#giveBackLater(link)
      setImmediate(() => void this.#send(address))
    })
  }

  /** The other node looks at the store now. Nothing depends on it: it would at its next beat. */
  notify(address: string): void {
    this.#post(address + LOOK_PATH, '{}').then(
      ({ body }) => body.dump(),
      () => {},
    )
  }

  async prepare({ node, address }: NextOwner, shards: readonly ShardId[]): Promise<void> {
    const body = JSON.stringify({ node, shards } satisfies Preparation)
    await expectDone(this.#post(address + PREPARE_PATH, body, { signal: AbortSignal.timeout(PREPARED_WITHIN_MS) }))
  }

  async moved(address: string, moved: readonly MovedShard[]): Promise<void> {
    await expectDone(this.#post(address + MOVED_PATH, JSON.stringify({ moved } satisfies WireMoved)))
  }

  async land(address: string, landing: Landing): Promise<boolean> {
    const answer = await this.#post(address + LANDING_PATH, JSON.stringify(landing), { dispatcher: this.#landings })
    if (answer.statusCode !== 200) await refuse(answer)
    return ((await answer.body.json()) as WireLanded).landed
  }

  /** The doors are closed by now: nobody waits for an answer any more. */
  async close(): Promise<void> {
    await Promise.all([this.#agent.destroy(), this.#landings.destroy()])
  }

  async #send(address: string): Promise<void> {
    const link = this.#links.get(address)
    if (link === undefined || link.waiting.length === 0 || link.inFlight >= IN_FLIGHT_MAX) return
    const batch = link.waiting.splice(0, batchLength(link.waiting))
    link.inFlight++
    await this.#exchange(address, batch)
    link.inFlight--
    if (link.waiting.length > 0) void this.#send(address)
    else if (link.inFlight === 0) this.#forget(address, link)
  }

  #forget(address: string, link: Link): void {
    link.cancelGivingBack?.()
    this.#links.delete(address)
  }

  /** Commands that have waited for their turn too long were not sent, so nothing was done. */
  #giveBackLater(link: Link): void {
    const first = link.waiting[0]
    if (link.cancelGivingBack !== null || first === undefined) return
    link.cancelGivingBack = this.#clock.after(first.since + UNSENT_MS_MAX - this.#clock.monotonic(), () => {
      link.cancelGivingBack = null
      const since = this.#clock.monotonic() - UNSENT_MS_MAX
      for (const waiting of link.waiting) if (waiting.since <= since) waiting.reject(notOwner())
      link.waiting = link.waiting.filter((waiting) => waiting.since > since)
      this.#giveBackLater(link)
    })
  }

  async #exchange(address: string, batch: readonly Waiting[]): Promise<void> {
    const body = JSON.stringify({ commands: batch.map(({ command }) => command) } satisfies WireCommands)
    try {
      const answer = await this.#post(address + COMMANDS_PATH, body)
      if (answer.statusCode !== 200) await refuse(answer)
      const { results } = (await answer.body.json()) as WireResults
      for (const [index, waiting] of batch.entries()) settle(waiting, results[index]!)
    } catch (error) {
      const failure = wasSent(error) ? answerLost(address, error) : notOwner()
      for (const waiting of batch) waiting.reject(failure)
    }
  }

  #post(url: string, body: string, options: { signal?: AbortSignal; dispatcher?: Agent } = {}): Promise<Dispatcher.ResponseData> {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${this.secret}` }
    return request(url, { method: 'POST', headers, body, dispatcher: this.#agent, ...options })
  }
}

async function expectDone(answering: Promise<Dispatcher.ResponseData>): Promise<void> {
  const answer = await answering
  if (answer.statusCode >= 300) await refuse(answer)
  await answer.body.dump()
}

async function refuse({ statusCode, body }: Dispatcher.ResponseData): Promise<never> {
  await body.dump()
  throw Object.assign(new Error(`HTTP ${statusCode}`), { code: statusCode < 500 ? 'REFUSED' : 'FAILED' })
}

function batchLength(waiting: readonly Waiting[]): number {
  let chars = 0
  const end = waiting.findIndex(({ command }, index) => (chars += payloadChars(command)) > CHARS_MAX || index === COMMANDS_MAX)
  return end < 0 ? waiting.length : Math.max(end, 1)
}

function payloadChars(command: Command): number {
  if (command.type === 'create') return command.spec.payload?.length ?? 0
  return command.type === 'update' ? (command.changes.payload?.length ?? 0) : 0
}

function settle(waiting: Waiting, result: WireResult): void {
  if (result.type === 'executed') waiting.resolve(result.executed)
  else waiting.reject(new DuetimeError(result.code, result.message, result.details))
}

const NEVER_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT', 'REFUSED'])

/** False only when the commands surely did not reach the other node, or it answered that it did not take them. */
function wasSent(error: unknown): boolean {
  return !NEVER_SENT.has(String((error as { code?: unknown }).code))
}

function answerLost(address: string, cause: unknown): DuetimeError {
  return unavailable(`the node at ${address} did not answer: the change may have been stored or not; look before you repeat it`, 1_000, cause)
}
