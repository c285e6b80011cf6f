// The NATS listener: commands in from a stream, requests answered. Events out are deliveries like any other and leave
// through the NATS target.

import { brokerFaults } from '../broker/broker.ts'
import type { Broker, Ongoing, StreamSpec } from '../broker/broker.ts'
import { unrestricted } from '../core/access/access.ts'
import type { Clock } from '../runtime/clock/clock.ts'
import type { Config } from '../runtime/config/config.ts'
import type { Logger } from '../runtime/telemetry/logger.ts'
import type { CommandMetrics } from '../runtime/telemetry/metrics-commands.ts'
import type { TimerService } from '../service/timer-service.ts'
import { CommandHandler } from './messages/command-handler.ts'
import { DeadLetters } from './messages/dead-letters.ts'
import { RequestHandler } from './requests/request-handler.ts'
import type { NativeApi } from './requests/request-handler.ts'
import { Subjects } from './subjects.ts'

export type NatsDoorOptions = {
  readonly broker: Broker
  readonly service: TimerService
  readonly api: NativeApi
  readonly config: NatsDoorConfig
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: CommandMetrics
}

export type NatsDoorConfig = Pick<
  Config,
  | 'natsCommandsSubject'
  | 'natsEventsSubject'
  | 'natsDeadLettersSubject'
  | 'natsRequestsSubject'
  | 'natsCommandsStream'
  | 'natsEventsStream'
  | 'natsDeadLettersStream'
  | 'natsConsumer'
  | 'natsAckWaitMs'
  | 'natsDuplicateWindowMs'
  | 'natsNamespacePrefix'
>

const DAY_MS = 86_400_000
const EVENTS_KEPT_MS = 7 * DAY_MS
const DEAD_LETTERS_KEPT_MS = 30 * DAY_MS
const COMMANDS_AT_ONCE = 1_000 // about one full commit
/** Who may publish a command is the broker's decision, with or without a prefix for each namespace. */
const SENDERS = unrestricted('nats')

export class NatsListener {
  readonly name = 'nats'
  readonly #options: NatsDoorOptions
  readonly #subjects: Subjects
  readonly #stopping = new AbortController()
  #ongoing: readonly Ongoing[] = []

  constructor(options: NatsDoorOptions) {
    this.#options = options
    this.#subjects = new Subjects(options.config.natsNamespacePrefix)
  }

  start(): void {
    const { broker, config } = this.#options
    broker.declare(streamsFor(config, this.#subjects))
    this.#ongoing = [this.#takeCommands(), this.#answerRequests()]
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await Promise.all(this.#ongoing.map((one) => one.stop()))
  }

  #takeCommands(): Ongoing {
    const { broker, service, config, clock, logger, metrics } = this.#options
    const deadLetters = new DeadLetters({ broker, subject: config.natsDeadLettersSubject, logger })
    const handler = new CommandHandler({
      timers: service.as(SENDERS),
      deadLetters,
      subjects: this.#subjects,
      eventsSubject: config.natsEventsSubject,
      clock,
      logger,
      observer: metrics,
      signal: this.#stopping.signal,
    })
    metrics.watch({ heldSeconds: () => handler.heldMs / 1_000, faults: () => brokerFaults(broker).length })
    const subject = this.#subjects.pattern(config.natsCommandsSubject)
    const consumer = { name: config.natsConsumer, subject, ackWaitMs: config.natsAckWaitMs, batchMax: COMMANDS_AT_ONCE }
    return broker.consume(consumer, (batch) => handler.handle(batch))
  }

  #answerRequests(): Ongoing {
    const { broker, api, config, clock, logger } = this.#options
    const replyBytesMax = () => (broker.state.type === 'connected' ? broker.state.messageBytesMax : Infinity)
    const handler = new RequestHandler({ api, subjects: this.#subjects, replyBytesMax, clock, logger })
    const subject = `${this.#subjects.pattern(config.natsRequestsSubject)}.*`
    return broker.serve(subject, config.natsConsumer, (request) => handler.answer(request))
  }
}

function streamsFor(config: NatsDoorConfig, subjects: Subjects): StreamSpec[] {
  const { natsDuplicateWindowMs: duplicateWindowMs } = config
  const commands = subjects.pattern(config.natsCommandsSubject)
  const events = subjects.pattern(config.natsEventsSubject)
  const deadLetters = config.natsDeadLettersSubject
  return [
    { name: config.natsCommandsStream, subject: commands, keeps: 'queue', maxAgeMs: null, duplicateWindowMs },
    { name: config.natsEventsStream, subject: events, keeps: 'log', maxAgeMs: EVENTS_KEPT_MS, duplicateWindowMs },
    {
      name: config.natsDeadLettersStream,
      subject: deadLetters,
      keeps: 'log',
      maxAgeMs: DEAD_LETTERS_KEPT_MS,
      duplicateWindowMs,
    },
  ]
}
