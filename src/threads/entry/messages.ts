// What the main thread and the threads of HTTP say to each other.

import type { Taken } from '../../core/access/token-bucket.ts'
import type { Principal } from '../../core/access/access.ts'
import type { Command, CreateCommand } from '../../core/rules/command.ts'
import type { TimerIdentity } from '../../core/timer/ids.ts'
import type { Millis, Timer } from '../../core/timer/timer.ts'
import type { Executed } from '../../engine/shard-commands.ts'
import type { Config } from '../../runtime/config/config.ts'
import type { AnswerMessage, CallMessage } from '../channel/calls.ts'
import type { TunnelMessage } from '../channel/tunnel.ts'
import type { PlainKey } from './plain-keys.ts'

/** `connections`: how many each thread has open; a thread writes its own place. */
export type EntryData = {
  readonly config: Config
  readonly keys: readonly PlainKey[] | null
  readonly isInCluster: boolean
  readonly place: number
  readonly connections: Int32Array<SharedArrayBuffer>
}

/** `sentAt`: how long it waits for the deciding thread is counted from here, by the clock that all threads have. */
export type SentCommand<Sent extends Command = Command> = { readonly command: Sent; readonly sentAt: Millis }

/** What an entry thread asks the main thread for. */
export type DecidingCalls = {
  execute(sent: SentCommand): Promise<Executed>
  /** Its id was made by the thread: it gets another one if its shard is not this node's. */
  executeNew(sent: SentCommand<CreateCommand>): Promise<Executed>
  /** As it is now; null when there is none. */
  find(identity: TimerIdentity): Promise<Timer | null>
  takeRequest(key: Pick<Principal, 'name' | 'rateLimit'>): Promise<Taken | null>
}

/** What the main thread asks an entry thread for. */
export type EntryCalls = {
  /** The URL that it listens on. */
  listen(at: { readonly host: string; readonly port: number }): Promise<string>
  /** Resolves when every request under way is answered, or the grace is over. */
  close(within: { readonly graceMs: number }): Promise<void>
  replaceKeys(keys: readonly PlainKey[]): Promise<void>
}

export type LogMessage = { readonly log: string }
export type FromEntry = CallMessage | AnswerMessage | TunnelMessage | LogMessage
export type ToEntry = CallMessage | AnswerMessage | TunnelMessage
