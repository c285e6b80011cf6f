// The way to the other nodes of the cluster: commands for timers whose shard another one owns, and what nodes say to each
// other when shards move. The other side is http/routes/internal-routes.ts, or embedded/peer-listener.ts.

import type { Dispatcher } from 'undici'
import type { ShardCommand } from '../../core/rules/command.ts'
import type { ShardId } from '../../core/timer/timer.ts'
import type { Preparation } from '../../engine/engine.ts'
import type { MovedShard, Neighbours, NextOwner } from '../../engine/cluster/handover.ts'
import type { DeliveryReport } from '../../engine/delivery/remote-delivery.ts'
import { notOwner } from '../../engine/commit/owned-rows.ts'
import type { Executed } from '../../engine/shard-commands.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import type { Logger } from '../../runtime/telemetry/logger.ts'
import { Agent, request } from '../../runtime/undici.ts'
import type { Peers } from '../command-router.ts'
import { CommandLink } from './command-link.ts'
import type { ClosedBy } from './command-link.ts'
import { REPORT_PATH, LOOK_PATH, MOVED_PATH, PREPARE_PATH } from './wire.ts'
import type { WireReportAnswer, WireMoved } from './wire.ts'

const CONNECT_TIMEOUT_MS = 1_000
const ANSWER_TIMEOUT_MS = 10_000
const REPORTS_AT_ONCE = 8 // to one node; the others wait, and each holds a slot for deliveries here
const PREPARED_WITHIN_MS = 2_000 // a node that takes longer to read some pages is not one to hand timers to
const SAID_EVERY_MS = 10_000 // of one node, in the log

const AGENT_OPTIONS = {
  connect: { timeout: CONNECT_TIMEOUT_MS, keepAliveInitialDelay: 10_000 }, // a node whose machine is gone does not close its connections
  allowH2: false, // which has no upgrades
  headersTimeout: ANSWER_TIMEOUT_MS,
  bodyTimeout: ANSWER_TIMEOUT_MS,
  keepAliveTimeout: 30_000,
}

export class PeerLinks implements Peers, Neighbours {
  /** What the other nodes must show, and are shown. */
  readonly secret: string
  readonly #clock: Clock
  readonly #links = new Map<string, CommandLink>()
  readonly #agent = new Agent(AGENT_OPTIONS)
  /** Apart, so that nothing waits behind them. */
  readonly #reports = new Agent({ ...AGENT_OPTIONS, connections: REPORTS_AT_ONCE })
  /** When it was said of a node that commands cannot be sent to it. */
  readonly #saidAt = new Map<string, number>()
  readonly #logger: Logger
  #closing = false

  constructor({ secret, clock, logger }: { secret: string; clock: Clock; logger: Logger }) {
    this.secret = secret
    this.#clock = clock
    this.#logger = logger
  }

  get isClosed(): boolean {
    return this.#closing
  }

  execute(address: string, command: ShardCommand): Promise<Executed> {
    if (this.#closing) return Promise.reject(notOwner())
    return (this.#links.get(address) ?? this.#linkTo(address)).execute(command)
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

  async report(address: string, report: DeliveryReport): Promise<boolean> {
    const answer = await this.#post(address + REPORT_PATH, JSON.stringify(report), { dispatcher: this.#reports })
    if (answer.statusCode !== 200) await refuse(answer)
    return ((await answer.body.json()) as WireReportAnswer).accepted
  }

  /** The entry points are closed by now: nobody waits for an answer any more. */
  async close(): Promise<void> {
    this.#closing = true
    for (const link of this.#links.values()) link.close()
    await Promise.all([this.#agent.destroy(), this.#reports.destroy()])
  }

  #linkTo(address: string): CommandLink {
    const link = new CommandLink({
      address,
      headers: this.#credentials,
      agent: this.#agent,
      clock: this.#clock,
      onOpen: () => this.#saidAt.delete(address),
      onClosed: (closed) => {
        this.#links.delete(address)
        this.#report(address, closed)
      },
    })
    this.#links.set(address, link)
    return link
  }

  /** Once in a while: every command that waits for this node opens a link anew. */
  #report(address: string, { cause, undone, wasOpen }: ClosedBy): void {
    const now = this.#clock.monotonic()
    if (undone || this.#closing || now - (this.#saidAt.get(address) ?? -Infinity) < SAID_EVERY_MS) return
    this.#saidAt.set(address, now)
    const text = wasOpen ? 'the stream of commands to another node broke' : 'no commands can be sent to another node'
    this.#logger.warn({ address, err: cause }, text)
  }

  get #credentials() {
    return { authorization: `Bearer ${this.secret}` }
  }

  #post(
    url: string,
    body: string,
    options: { signal?: AbortSignal; dispatcher?: Agent } = {},
  ): Promise<Dispatcher.ResponseData> {
    const headers = { ...this.#credentials, 'content-type': 'application/json' }
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
  throw new Error(`HTTP ${statusCode}`)
}
