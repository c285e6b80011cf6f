// A store in a database on a server, for as many nodes as wanted. What such stores are alike: where questions are asked, claims
// that go together, counters that are added up later. The engine is what one database does its own way.

import type { Epoch, Millis } from '../../../core/timer/timer.ts'
import type { Logger } from '../../../runtime/telemetry/logger.ts'
import { StoreError } from '../../store.ts'
import type { ClusterState, CommitPart, NodeBeat, OwnedShard, PartMax, PartResult } from '../../store.ts'
import type { RowMove, ShardClaim, StoreCapabilities } from '../../store.ts'
import type { Answered, Asked, QuestionName, Questions } from '../questions/questions.ts'
import { SqlStore } from '../sql-store.ts'
import { answerLater } from '../statement.ts'
import type { Question } from '../statement.ts'
import { clusterState } from './cluster-state.ts'
import type { BeatAnswer } from './cluster-state.ts'
import { commitInMessages } from './commit/split-commit.ts'
import type { ServerConnections } from './connections.ts'
import { Folding } from './folding.ts'
import { GatheredClaims } from './gathered-claims.ts'
import type { Ownership } from './gathered-claims.ts'
import { LANE_OF } from './lanes.ts'
import type { Lanes } from './lanes.ts'
import type { StoreRow } from './migrate.ts'

/** What questions are asked on. */
export type LaneConnections = Pick<ServerConnections<object>, 'read' | 'write' | 'snapshot' | 'end'>

export type ServerEngine = Ownership & {
  /** As capabilities have it. */
  readonly name: string
  readonly questions: Questions
  /** A real write, on the connection that commits use. */
  readonly ping: () => Promise<unknown>
  readonly beat: (beat: NodeBeat) => Promise<BeatAnswer>
  /** In one message to the server, of no more bytes than a part may have, unless it is a single part. */
  readonly commit: (parts: readonly CommitPart[]) => Promise<readonly PartResult[]>
  /** As the port has it, of some timers. */
  readonly move: (move: RowMove) => Promise<boolean>
  /** See Folding. */
  readonly foldSome: (entriesMax: number) => Promise<boolean>
  readonly forget: (slotsBefore: Millis) => Promise<boolean>
  /** See StoreCapabilities. */
  readonly partMax?: PartMax
  /** Questions of more than one statement that counters must not change under; pages and lists always are such. */
  readonly asksOfOneMoment?: readonly QuestionName[]
  /** What to do instead of a backup by this service. */
  readonly backupAdvice: string
}

type Database = {
  readonly lanes: Lanes<LaneConnections>
  readonly row: StoreRow
  readonly logger: Logger | null
}

export class ServerStore extends SqlStore {
  readonly capabilities: StoreCapabilities
  readonly #engine: ServerEngine
  readonly #lanes: Lanes<LaneConnections>
  readonly #ofOneMoment: ReadonlySet<QuestionName>
  readonly #clusterSecret: string
  readonly #claims: GatheredClaims
  readonly #folding: Folding

  constructor(engine: ServerEngine, { lanes, row, logger }: Database) {
    super()
    const { name, partMax, asksOfOneMoment = [] } = engine
    const { shards, clusterSecret } = row
    this.capabilities = { name, shared: true, backup: false, shards, ...(partMax !== undefined && { partMax }) }
    this.#engine = engine
    this.#lanes = lanes
    this.#ofOneMoment = new Set<QuestionName>(['page', 'list', ...asksOfOneMoment])
    this.#clusterSecret = clusterSecret
    this.#claims = new GatheredClaims(engine)
    this.#folding = new Folding(engine.foldSome, logger)
  }

  /** A page and its total are of the same moment, and so are the timers of a list and the place up to which it was read. */
  protected ask<Name extends QuestionName>(name: Name, argument: Asked<Name>): Promise<Answered<Name>> {
    const ask = this.#engine.questions[name] as (asked: Asked<Name>) => unknown
    const question = () => ask(argument) as Question<Answered<Name>>
    const lane = this.#lanes[LANE_OF[name]]
    if (this.#ofOneMoment.has(name)) return lane.snapshot((run) => answerLater(question(), run))
    const effect = name === 'removeEvents' ? 'write' : 'read'
    return answerLater(question(), (query) => lane[effect](query))
  }

  override close(): Promise<void> {
    this.#folding.stop()
    return super.close()
  }

  protected async end(): Promise<void> {
    await Promise.all(Object.values(this.#lanes).map((lane) => lane.end()))
  }

  protected async write(parts: readonly CommitPart[]): Promise<readonly PartResult[]> {
    const { commit, partMax } = this.#engine
    const results = await (partMax === undefined ? commit(parts) : commitInMessages(parts, partMax.bytes, commit))
    // The store may be closing by now; what is not folded is counted all the same.
    if (this.#folding.added()) this.track(() => this.#folding.fold()).catch(() => {})
    return results
  }

  async ping(): Promise<void> {
    await this.track(() => this.#engine.ping())
  }

  async claim(claim: ShardClaim): Promise<Epoch | null> {
    return this.track(() => this.#claims.claim(claim))
  }

  async release(owned: OwnedShard): Promise<void> {
    await this.track(() => this.#claims.release(owned))
  }

  async beat(beat: NodeBeat): Promise<ClusterState> {
    return clusterState(beat, await this.track(() => this.#engine.beat(beat)))
  }

  async move(move: RowMove): Promise<boolean> {
    return move.timers.length === 0 || this.track(() => this.#engine.move(move))
  }

  async clusterSecret(): Promise<string> {
    return this.track(async () => this.#clusterSecret)
  }

  async forgetCounters(slotsBefore: Millis): Promise<boolean> {
    await this.track(() => this.#folding.fold())
    return this.track(() => this.#engine.forget(slotsBefore))
  }

  async backup(): Promise<void> {
    throw StoreError.lasting(this.#engine.backupAdvice)
  }
}
