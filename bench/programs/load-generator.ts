// Sends creates as cheaply as it can: on a machine with two cores every microsecond spent here is missing in the
// service. Raw sockets, one request in flight on each, one prepared buffer per socket in which only the digits of
// the id and of the due time change, and no parsing beyond the length of the answer and the first digit of its status.

import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { answerQuestions } from '../harness/helper-side.ts'
import { spreadOf } from '../harness/statistics.ts'
import type { Spread } from '../harness/statistics.ts'
import { createBody, ID_COUNTER_DIGITS } from './create-body.ts'
import { HttpFrames } from './http-frames.ts'

export type Load = {
  readonly port: number
  readonly path: string
  readonly connections: number
  readonly warmUpMs: number
  readonly durationMs: number
  /** Null: as fast as the answers come. */
  readonly perSecond: number | null
  /** Four characters that no other load on the same database has. */
  readonly idPrefix: string
  /** The service makes the ids. */
  readonly withoutIds?: boolean
}

export type LoadResult = { readonly perSecond: number; readonly requests: number; readonly latencyMs: Spread }

const LATENCIES_MAX = 2_000_000
const TWO_HUNDREDS = 0x32 // '2', the first digit of the status
const STATUS_AT = 9 // behind 'HTTP/1.1 '

answerQuestions<Load, LoadResult>({}, (load) => new Run(load).result())

class Run {
  readonly #load: Load
  readonly #latencies = new Float64Array(LATENCIES_MAX)
  readonly #idle: Connection[] = []
  readonly #ids = new CountingIds()
  #startedAt = 0
  #measured = 0
  #sent = 0
  #running = true
  #failure: Error | null = null

  constructor(load: Load) {
    this.#load = load
  }

  async result(): Promise<LoadResult> {
    const { connections, warmUpMs, durationMs, perSecond } = this.#load
    const lanes = await Promise.all(Array.from({ length: connections }, (_, lane) => this.#open(lane)))
    const beganAt = performance.now()
    this.#startedAt = beganAt + warmUpMs
    if (perSecond === null) for (const lane of lanes) lane.send()
    else this.#pace(lanes, perSecond, beganAt)
    await new Promise((resolve) => setTimeout(resolve, warmUpMs + durationMs))
    this.#running = false
    const measuredMs = performance.now() - this.#startedAt
    await Promise.all(lanes.map((lane) => lane.close()))
    if (this.#failure !== null) throw this.#failure
    const latencyMs = spreadOf(this.#latencies.subarray(0, this.#measured))
    return { perSecond: (this.#measured / measuredMs) * 1_000, requests: this.#sent, latencyMs }
  }

  async #open(lane: number): Promise<Connection> {
    const socket = connect({ port: this.#load.port, host: '127.0.0.1', noDelay: true })
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
    const connection = new Connection(socket, this.#request(lane), (sentAt) => this.#answered(connection, sentAt))
    socket.on('error', (error) => this.#fail(error))
    connection.onFailure = (error) => this.#fail(error)
    return connection
  }

  #request(lane: number): RequestBuffer {
    const { idPrefix, withoutIds = false } = this.#load
    const body = createBody(idPrefix, { withId: !withoutIds })
    const head = `POST ${this.#load.path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${body.text.length}\r\n\r\n`
    return new RequestBuffer(Buffer.from(head + body.text), {
      ids: this.#ids,
      idCounterAt: head.length + body.idCounterAt,
      dueTimeAt: head.length + body.dueTimeAt,
      seed: lane,
    })
  }

  #answered(connection: Connection, sentAt: number): void {
    this.#sent++
    const now = performance.now()
    if (sentAt >= this.#startedAt && this.#running && this.#measured < LATENCIES_MAX)
      this.#latencies[this.#measured++] = now - sentAt
    if (!this.#running) return
    if (this.#load.perSecond === null) connection.send()
    else this.#idle.push(connection)
  }

  /** What is due by the clock goes out on connections that are free; a service that falls behind sees fewer, as the rate then shows. */
  #pace(lanes: readonly Connection[], perSecond: number, beganAt: number): void {
    this.#idle.push(...lanes)
    let sent = 0
    const tick = () => {
      if (!this.#running) return
      const due = ((performance.now() - beganAt) / 1_000) * perSecond
      for (; sent < due && this.#idle.length > 0; sent++) this.#idle.pop()!.send()
      setTimeout(tick, 1)
    }
    tick()
  }

  #fail(error: Error): void {
    this.#failure ??= error
    this.#running = false
  }
}

class Connection {
  readonly #socket: Socket
  readonly #request: RequestBuffer
  #sentAt = 0
  #inFlight = false
  #onQuiet: (() => void) | null = null
  onFailure: (error: Error) => void = () => {}

  constructor(socket: Socket, request: RequestBuffer, onAnswer: (sentAt: number) => void) {
    this.#socket = socket
    this.#request = request
    const frames = new HttpFrames((bytes, start, end) => {
      this.#inFlight = false
      if (bytes[start + STATUS_AT] !== TWO_HUNDREDS)
        this.onFailure(new Error(`refused: ${bytes.toString('utf8', start, end)}`))
      onAnswer(this.#sentAt)
      if (!this.#inFlight) this.#onQuiet?.()
    })
    socket.on('data', (chunk: Buffer) => frames.push(chunk))
  }

  /** The buffer is free for the next request: the answer to the last one has come. */
  send(): void {
    this.#request.next()
    this.#sentAt = performance.now()
    this.#inFlight = true
    this.#socket.write(this.#request.bytes)
  }

  /** Waits for the answer under way, so that what was sent is what is stored. */
  async close(): Promise<void> {
    if (this.#inFlight)
      await new Promise<void>((resolve) => ((this.#onQuiet = resolve), setTimeout(resolve, 5_000).unref()))
    this.#socket.destroy()
  }
}

/** One count for all connections, as orders are numbered by one sequence. */
class CountingIds {
  readonly digits = Buffer.alloc(ID_COUNTER_DIGITS, '0')

  next(): void {
    let at = ID_COUNTER_DIGITS - 1
    while (this.digits[at] === 0x39) this.digits[at--] = 0x30
    this.digits[at]!++
  }
}

type Places = {
  readonly ids: CountingIds
  readonly idCounterAt: number
  readonly dueTimeAt: number
  readonly seed: number
}

/** A request in which the id and the due time change in place. */
class RequestBuffer {
  readonly bytes: Buffer
  readonly #places: Places
  #random: number

  constructor(bytes: Buffer, places: Places) {
    this.bytes = bytes
    this.#places = places
    this.#random = (places.seed * 2_654_435_761 + 1) >>> 0
  }

  next(): void {
    const { bytes } = this
    const { ids, idCounterAt, dueTimeAt: due } = this.#places
    ids.next()
    ids.digits.copy(bytes, idCounterAt)
    // Somewhere in ten years, so that rows land all over the index, as they do in life: 204y-0m-1dT0h:0m:0s
    const random = (this.#random = (Math.imul(this.#random, 1_664_525) + 1_013_904_223) >>> 0)
    bytes[due + 3] = 0x30 + ((random >>> 8) % 10)
    bytes[due + 6] = 0x31 + ((random >>> 12) % 9)
    bytes[due + 9] = 0x30 + ((random >>> 16) % 10)
    bytes[due + 12] = 0x30 + ((random >>> 20) % 10)
    bytes[due + 15] = 0x30 + ((random >>> 24) % 10)
    bytes[due + 18] = 0x30 + ((random >>> 28) % 10)
  }
}
