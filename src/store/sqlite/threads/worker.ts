// The entry point of all worker threads: opens the database in its role when it is asked to, and answers one request after the other.

import { parentPort, workerData } from 'node:worker_threads'
import { assertUsablePath, openForReading, openForWriting } from '../file/connection.ts'
import { failureOf } from '../failures.ts'
import { lockFile } from '../file/file-lock.ts'
import type { Reply, Request, WorkerOptions } from './messages.ts'
import { Reader } from '../reader.ts'
import { Writer } from '../writer.ts'

const options = workerData as WorkerOptions
const port = parentPort!

type Part = { close(): void; afterReply?(): void }

function open(): Part {
  if (options.role !== 'writer') return new Reader(openForReading(options))
  assertUsablePath(options.path)
  const lock = lockFile(options.path)
  try {
    return new Writer(openForWriting(options), { path: options.path, lock })
  } catch (error) {
    lock.release()
    throw error
  }
}

function reply(call: number, doing: 'open' | 'read' | 'write', answer: () => unknown): boolean {
  try {
    port.postMessage({ call, result: answer() } satisfies Reply)
    return true
  } catch (error) {
    const { message, retryable, outcomeUnknown, isFull } = failureOf(error, { path: options.path, doing })
    port.postMessage({ call, failure: { message, retryable, outcomeUnknown, isFull } } satisfies Reply)
    return false
  }
}

let part: Part | null = null

port.on('message', ({ call, name, argument }: Request) => {
  if (name === 'open') {
    const isOpen = reply(call, 'open', () => {
      part = open()
    })
    if (!isOpen) port.close()
    return
  }
  reply(call, options.role === 'writer' ? 'write' : 'read', () => carryOut(name, argument))
  if (name === 'close') port.close()
  else part?.afterReply?.()
})

function carryOut(name: string, argument: unknown): unknown {
  if (part === null) {
    if (name === 'close') return undefined
    throw new Error(`the database was not opened, and was asked to ${name}`)
  }
  // The link on the other side only sends names of methods; see WriterCalls and ReaderCalls.
  const methods = part as unknown as Record<string, (argument: unknown) => unknown>
  return methods[name]!.call(part, argument)
}
