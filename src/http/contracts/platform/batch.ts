// Many creates, updates and cancels in one request. Every item is checked, judged and answered by itself, with the
// envelope that it would have had alone; all that can share a commit do.

import { DuetimeError } from '../../../core/errors.ts'
import { keyOfItem } from '../../../core/timer/idempotency.ts'
import { DEFAULT_NAMESPACE } from '../../../core/timer/ids.ts'
import type { Timers } from '../../../service/timers.ts'
import { outcomeOf, readOrRefused } from '../../../service/item-outcomes.ts'
import type { BatchItems } from '../batch-items.ts'
import { cancelTimer, createTimer, updateTimer } from './actions.ts'
import { renderPlatformError, successJson } from './envelope.ts'
import { toCreateCommand } from './mapping.ts'
import type { CreateContext } from './mapping.ts'
import type { BatchAction, CreateBody, UpdateBody } from './schema.ts'

/** `idempotencyKey` is that of the whole batch: each create without a key of its own has its part of it. */
export type BatchParts = CreateContext & { readonly timers: Timers; readonly batchItems: BatchItems<BatchAction> }

/** `id` is in lower case: the case of a UUID does not matter. */
type Change = { readonly action: BatchAction; readonly id: string; readonly run: () => Promise<string> }

/** The answer, as JSON. */
export async function runBatch(items: readonly unknown[], parts: BatchParts): Promise<string> {
  const timers = parts.timers.arrived()
  const judged = items.map((item, index) => readOrRefused(() => toChange(item, index, { ...parts, timers })))
  const changes = judged.filter((one): one is Change => !(one instanceof DuetimeError))
  const done = (
    await timers.changeMany(DEFAULT_NAMESPACE, changes, { keyOf: ({ id }) => id, run: ({ run }) => run() })
  ).values()
  const tally = { created: 0, updated: 0, canceled: 0, failed: 0 }
  const results = judged.map((one) => {
    const result = one instanceof DuetimeError ? one : outcomeOf(done.next().value!)
    tally[one instanceof DuetimeError || result instanceof DuetimeError ? 'failed' : COUNTED_AS[one.action]]++
    return result instanceof DuetimeError ? renderPlatformError(result).body : result
  })
  return successJson('success', `{"results":[${results.join(',')}],${JSON.stringify(tally).slice(1)}`)
}

const COUNTED_AS = { create: 'created', update: 'updated', cancel: 'canceled' } as const

function toChange(item: unknown, index: number, parts: BatchParts): Change {
  const { timers, batchItems, payloadMaxBytes } = parts
  const action = batchItems.check(item)
  if (action === 'create') {
    const command = toCreateCommand(item as CreateBody, withKeyOfItem(item as CreateBody, index, parts))
    return { action, id: command.id, run: () => createTimer(timers, command) }
  }
  const { id, ...body } = item as UpdateBody & { readonly id: string }
  const run =
    action === 'update' ? () => updateTimer(timers, { id, body, payloadMaxBytes }) : () => cancelTimer(timers, id)
  return { action, id: id.toLowerCase(), run }
}

function withKeyOfItem({ idempotency_key: own = null }: CreateBody, index: number, parts: BatchParts): CreateContext {
  const { idempotencyKey } = parts
  return idempotencyKey === null
    ? parts
    : { ...parts, idempotencyKey: own === null ? keyOfItem(idempotencyKey, index) : null }
}
