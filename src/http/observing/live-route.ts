// GET /api/v1/live: what happens, as it happens. A stream lives as long as its reader, its key and the service do.

import type { OutgoingHttpHeaders } from 'node:http'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { unavailable } from '../../core/errors.ts'
import type { Namespace } from '../../core/timer/timer.ts'
import type { Cancel, Clock } from '../../runtime/clock/clock.ts'
import type { LiveBatch } from '../../service/activity/live-feed.ts'
import { sightKey } from '../../service/sight.ts'
import type { Sight } from '../../service/sight.ts'
import { EventStream, eventText } from './event-stream.ts'
import type { EndReason } from './event-stream.ts'
import { LIVE } from './operations.ts'
import { changeJson, firingJson, pulseJson } from './overview-json.ts'
import type { ObservingParts } from './parts.ts'
import { FOR_SECONDS_MAX, readScope, readWhole } from './query.ts'

export const LISTENERS_MAX = 200 // each is a connection and up to 64 KiB
const RETRY_AFTER_MS = 10_000
const STOPPING_RETRY_AFTER_MS = 1_000
const LOOK_MS = 5_000 // at the key: whoever lost it is out this soon
const LOOKS_PER_PING = 3

export function registerLiveRoute(instance: FastifyInstance, parts: ObservingParts, clock: Clock): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  const streams = new Set<LiveStream>()
  const texts = new BatchTexts(parts)
  let isClosing = false

  // HEAD would open a stream, too.
  app.get('/api/v1/live', { schema: LIVE, exposeHeadRoute: false }, async (request, reply) => {
    const scope = readScope(request.query)
    const forSeconds = readWhole(request.query.forSeconds, 'forSeconds', { min: 0, max: FOR_SECONDS_MAX })
    const sight = request.timers.sight(scope)
    // The first event has them then. A store that fails is no reason not to show the rest.
    await parts.overviews.counted().catch(() => {})
    // On a connection that was open already one can still ask.
    if (isClosing) throw unavailable('the service is stopping', STOPPING_RETRY_AFTER_MS)
    if (streams.size >= LISTENERS_MAX) makeRoom(streams, request.principal.name)
    reply.hijack()
    if (reply.raw.destroyed) return reply
    const stream = new LiveStream({
      request,
      reply,
      sight,
      scope,
      texts,
      feed: parts.feed,
      clock,
      onClose: () => streams.delete(stream),
    })
    streams.add(stream)
    stream.begin({ ...parts.overviews.pulse(sight), skipped: { firings: 0, changes: 0 } }, forSeconds)
    return reply
  })

  // Before the server stops taking connections and waits for those that are open.
  app.addHook('preClose', (done) => {
    isClosing = true
    for (const stream of streams) stream.end('shutdown')
    done()
  })
}

/** The key with most streams gives up its oldest one, if the asker has fewer all the same; otherwise the asker is refused. */
function makeRoom(streams: Set<LiveStream>, asker: string): void {
  const byKey = Map.groupBy(streams, ({ key }) => key)
  const most = [...byKey.values()].reduce((one, other) => (other.length > one.length ? other : one))
  if (most.length <= (byKey.get(asker)?.length ?? 0) + 1)
    throw unavailable(`${streams.size} listeners are connected already`, RETRY_AFTER_MS)
  const [oldest] = most
  streams.delete(oldest!)
  oldest!.end('room')
}

type StreamParts = {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly sight: Sight
  readonly scope: { readonly namespace?: Namespace }
  readonly texts: BatchTexts
  readonly feed: ObservingParts['feed']
  readonly clock: Clock
  readonly onClose: () => void
}

class LiveStream {
  readonly #parts: StreamParts
  readonly #events: EventStream
  #unsubscribe: Cancel = () => {}
  #cancelLook: Cancel = () => {}
  #cancelEnd: Cancel = () => {}
  #looks = 0

  constructor(parts: StreamParts) {
    this.#parts = parts
    const headers = parts.reply.getHeaders() as OutgoingHttpHeaders
    this.#events = new EventStream(parts.reply.raw, { headers, onClose: () => this.#closed() })
  }

  /** The name of the key it was opened with. */
  get key(): string {
    return this.#parts.request.principal.name
  }

  begin(pulse: NonNullable<LiveBatch['pulse']>, forSeconds: number | undefined): void {
    const { feed, sight, clock, texts } = this.#parts
    this.#send(texts.of({ firings: [], changes: [], pulse }))
    if (forSeconds === 0) return this.end('time')
    this.#unsubscribe = feed.subscribe(sight, (batch) => this.#send(texts.of(batch)))
    this.#lookLater()
    if (forSeconds !== undefined) this.#cancelEnd = clock.after(forSeconds * 1_000, () => this.end('time'))
  }

  end(reason: EndReason): void {
    this.#events.end(reason, this.#parts.clock)
    this.#stop()
  }

  #send({ text, events }: BatchText): void {
    this.#events.send(text, events)
  }

  #lookLater(): void {
    this.#cancelLook = this.#parts.clock.after(LOOK_MS, () => {
      if (!this.#maySeeStill()) return this.end('key')
      if (++this.#looks % LOOKS_PER_PING === 0) this.#events.ping()
      this.#lookLater()
    })
  }

  /** The key was taken away, or may see something else by now: then the client has to ask again. */
  #maySeeStill(): boolean {
    const { request, sight, scope } = this.#parts
    try {
      return sightKey(request.timersNow().sight(scope)) === sightKey(sight)
    } catch {
      return false
    }
  }

  #closed(): void {
    this.#stop()
    this.#parts.onClose()
  }

  #stop(): void {
    this.#unsubscribe()
    this.#cancelLook()
    this.#cancelEnd()
  }
}

type BatchText = { readonly text: string; readonly events: number }

/** A batch is written once, however many it goes to. */
class BatchTexts {
  readonly #parts: ObservingParts
  readonly #texts = new WeakMap<LiveBatch, BatchText>()

  constructor(parts: ObservingParts) {
    this.#parts = parts
  }

  of(batch: LiveBatch): BatchText {
    let text = this.#texts.get(batch)
    if (text === undefined) this.#texts.set(batch, (text = this.#write(batch)))
    return text
  }

  #write({ firings, changes, pulse }: LiveBatch): BatchText {
    const { node, feed } = this.#parts
    const events = [
      ...changes.map((sample) => eventText('change', changeJson(sample))),
      ...firings.map((sample) => eventText('firing', firingJson(sample))),
      ...(pulse === null ? [] : [eventText('overview', pulseJson(pulse, { node, listeners: feed.listeners }))]),
    ]
    return { text: events.join(''), events: events.length }
  }
}
