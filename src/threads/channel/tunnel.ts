// A connection between two threads: a stream of bytes each way, with back-pressure. Node's HTTP server takes any stream
// for a connection, so what goes through needs no socket and no port. For requests that are rare: each piece of data is
// acknowledged before the next one goes.

import { Duplex } from 'node:stream'
import type { Transferable } from 'node:worker_threads'

export type TunnelMessage =
  | { readonly tunnel: number; readonly type: 'open'; readonly remoteAddress: string | undefined }
  | { readonly tunnel: number; readonly type: 'data'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly tunnel: number; readonly type: 'taken' | 'end' | 'close' }

export type SendTunnel = (message: TunnelMessage, transfer?: Transferable) => void

type Written = (error?: Error | null) => void

export class Tunnel extends Duplex {
  readonly remoteAddress: string | undefined
  readonly #number: number
  readonly #send: SendTunnel
  readonly #onClosed: () => void
  #written: Written | null = null
  #owesTaken = false
  #isEndedThere = false
  #isClosedThere = false

  constructor(parts: { number: number; remoteAddress: string | undefined; send: SendTunnel; onClosed: () => void }) {
    super({ allowHalfOpen: true })
    this.remoteAddress = parts.remoteAddress
    this.#number = parts.number
    this.#send = parts.send
    this.#onClosed = parts.onClosed
  }

  // What HTTP asks of sockets, and what a way inside the process has no use for.
  setTimeout(): this {
    return this
  }
  setNoDelay(): this {
    return this
  }
  setKeepAlive(): this {
    return this
  }
  ref(): this {
    return this
  }
  unref(): this {
    return this
  }

  arrived(message: TunnelMessage): void {
    switch (message.type) {
      case 'data':
        if (this.push(Buffer.from(message.bytes.buffer))) this.#taken()
        else this.#owesTaken = true
        return
      case 'taken':
        return this.#writtenNow()
      case 'end':
        this.#isEndedThere = true
        this.push(null)
        return
      case 'open':
        return // it is
      case 'close':
        this.#isClosedThere = true
        this.#writtenNow()
        // What has come before its end is for whoever reads, however slowly.
        if (this.#isEndedThere && !this.readableEnded) this.once('end', () => this.destroy())
        else this.destroy()
    }
  }

  /** As sockets have it: closes when everything is written. */
  destroySoon(): void {
    if (this.writable) this.end()
    if (this.writableFinished) this.destroy()
    else this.once('finish', () => this.destroy())
  }

  override _read(): void {
    if (!this.#owesTaken) return
    this.#owesTaken = false
    this.#taken()
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, written: Written): void {
    this.#sendBytes(chunk, written)
  }

  override _writev(chunks: { chunk: Buffer }[], written: Written): void {
    this.#sendBytes(Buffer.concat(chunks.map(({ chunk }) => chunk)), written)
  }

  #sendBytes(chunk: Buffer, written: Written): void {
    if (this.#isClosedThere) return written() // nobody reads it
    this.#written = written
    // A copy of its own: a piece of a buffer would go with all of the buffer.
    const bytes = new Uint8Array(chunk)
    this.#send({ tunnel: this.#number, type: 'data', bytes }, bytes.buffer)
  }

  override _final(done: Written): void {
    if (!this.#isClosedThere) this.#send({ tunnel: this.#number, type: 'end' })
    done()
  }

  override _destroy(error: Error | null, done: Written): void {
    this.#onClosed()
    if (!this.#isClosedThere) this.#send({ tunnel: this.#number, type: 'close' })
    this.#writtenNow()
    done(error)
  }

  #taken(): void {
    this.#send({ tunnel: this.#number, type: 'taken' })
  }

  #writtenNow(): void {
    const written = this.#written
    this.#written = null
    written?.()
  }
}

/** The tunnels that one side has open, by their numbers. */
export class Tunnels {
  readonly #send: SendTunnel
  readonly #onOpened: (tunnel: Tunnel) => void
  readonly #open = new Map<number, Tunnel>()
  #last = 0

  /** `onOpened`: of those that the other side opens. Only one side does. */
  constructor(send: SendTunnel, onOpened: (tunnel: Tunnel) => void = () => {}) {
    this.#send = send
    this.#onOpened = onOpened
  }

  /** `remoteAddress`: whose requests go through. */
  open(remoteAddress: string | undefined): Tunnel {
    const number = ++this.#last
    this.#send({ tunnel: number, type: 'open', remoteAddress })
    return this.#add(number, remoteAddress)
  }

  take(message: TunnelMessage): void {
    if (message.type === 'open') this.#onOpened(this.#add(message.tunnel, message.remoteAddress))
    else this.#open.get(message.tunnel)?.arrived(message)
  }

  /** The other side is gone. */
  closeAll(): void {
    for (const tunnel of [...this.#open.values()]) tunnel.destroy()
  }

  #add(number: number, remoteAddress: string | undefined): Tunnel {
    const onClosed = () => void this.#open.delete(number)
    const tunnel = new Tunnel({ number, remoteAddress, send: this.#send, onClosed })
    tunnel.on('error', () => {}) // its close is what counts
    this.#open.set(number, tunnel)
    return tunnel
  }
}
