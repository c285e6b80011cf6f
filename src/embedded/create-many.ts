// Creates of any number, from a list, a generator or a stream: some are read and stored at a time, so a million takes no more
// memory than a few thousand, and whoever makes them waits for the store.

import type { CreateCommand } from '../core/rules/command.ts'
import { DuetimeError } from '../core/errors.ts'
import type { Timer } from '../core/timer/timer.ts'
import { outcomeOf, readOrRefused } from '../service/item-outcomes.ts'
import type { Timers } from '../service/timers.ts'
import { createCommand } from './commands.ts'
import type { CreateFields } from './input/fields.ts'

export type CreateManyOptions<Payload = unknown> = {
  /** Told of each timer that is refused, with its place among all. If left out, the first refusal ends it all. */
  readonly onRefused?: ((error: DuetimeError, timer: CreateFields<Payload>, index: number) => void) | undefined
  /** Told again and again how far it is. */
  readonly onProgress?: ((progress: CreateManyProgress) => void) | undefined
}

export type CreateManyProgress = { readonly created: number; readonly refused: number }

type Parts = { readonly timers: Timers; readonly payloadMaxBytes: number }

const CHUNK = 1_000 // a commit or two
const CHUNKS_UNDER_WAY = 2 // one is read while the other is stored

export async function createMany<Payload>(
  parts: Parts,
  all: Iterable<CreateFields<Payload>> | AsyncIterable<CreateFields<Payload>>,
  { onRefused, onProgress }: CreateManyOptions<Payload>,
): Promise<CreateManyProgress> {
  let [created, refused, read] = [0, 0, 0]
  let failure: { readonly error: unknown } | null = null
  const underWay: Promise<void>[] = []
  const store = async (chunk: readonly CreateFields<Payload>[], first: number): Promise<void> => {
    const outcomes = await createAll(parts, chunk)
    for (let index = 0; index < outcomes.length; index++) {
      const made = outcomes[index]!
      if (!(made instanceof DuetimeError)) created++
      else if (onRefused === undefined) throw placed(made, first + index)
      else {
        refused++
        onRefused(made, chunk[index]!, first + index)
      }
    }
    onProgress?.({ created, refused })
  }
  for await (const chunk of chunksOf(all)) {
    underWay.push(store(chunk, read).catch((error: unknown) => void (failure ??= { error })))
    read += chunk.length
    if (underWay.length === CHUNKS_UNDER_WAY) await underWay.shift()
    if (failure !== null) break
  }
  await Promise.all(underWay)
  if (failure !== null) throw (failure as { readonly error: unknown }).error
  return { created, refused }
}

/** In one go, in the order given: each timer as it is stored, or why it is not. */
export async function createAll(
  { timers, payloadMaxBytes }: Parts,
  all: readonly CreateFields[],
): Promise<(Timer | DuetimeError)[]> {
  const context = { timers, payloadMaxBytes }
  const refusals = new Map<number, DuetimeError>()
  const commands: CreateCommand[] = []
  for (let index = 0; index < all.length; index++) {
    const command = readOrRefused(() => createCommand(all[index]!, context))
    if (command instanceof DuetimeError) refusals.set(index, command)
    else commands.push(command)
  }
  const executed = await timers.executeMany(commands)
  let next = 0
  return all.map((_, index) => {
    const refused = refusals.size === 0 ? undefined : refusals.get(index)
    if (refused !== undefined) return refused
    const result = outcomeOf(executed[next++]!)
    return result instanceof DuetimeError ? result : result.timer
  })
}

/** What is at hand is not awaited one by one. A promise is, before the next item is asked for. */
async function* chunksOf<Item>(all: Iterable<Item> | AsyncIterable<Item>): AsyncGenerator<Item[], void, void> {
  if (Symbol.asyncIterator in all) {
    let chunk: Item[] = []
    for await (const item of all) {
      if (chunk.push(item) < CHUNK) continue
      yield chunk
      chunk = []
    }
    if (chunk.length > 0) yield chunk
    return
  }
  const reader = new ItemReader(all[Symbol.iterator]())
  let chunk: Item[] = []
  try {
    while (!reader.isOver) {
      const awaited = reader.fill(chunk)
      if (awaited !== null) chunk.push(await awaited)
      if (chunk.length < CHUNK && !reader.isOver) continue
      if (chunk.length > 0) yield chunk
      chunk = []
    }
  } finally {
    reader.close()
  }
}

/** Reads in a loop of its own, because generators are slow with loops. */
class ItemReader<Item> {
  readonly #items: Iterator<Item | Promise<Item>>
  #isOver = false

  constructor(items: Iterator<Item | Promise<Item>>) {
    this.#items = items
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Until the chunk is full, nothing is left, or the next item is a promise, which is the answer then. */
  fill(chunk: Item[]): Promise<Item> | null {
    while (chunk.length < CHUNK) {
      this.#isOver = true // also if it throws
      const { done = false, value } = this.#items.next() as IteratorResult<Item | Promise<Item>, undefined>
      if (done) return null
      this.#isOver = false
      if (value instanceof Promise) return value
      chunk.push(value as Item)
    }
    return null
  }

  /** Somebody stopped before the end. */
  close(): void {
    if (!this.#isOver) this.#items.return?.()
  }
}

function placed(error: DuetimeError, index: number): DuetimeError {
  return new DuetimeError(error.code, `timer ${index}: ${error.message}`, { ...error.details, index }, { cause: error })
}
