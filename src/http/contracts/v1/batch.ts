// Many creates, updates and deletes in one request. Every item is checked, judged and answered by itself; all that can
// share a commit do.

import type { Command } from '../../../core/rules/command.ts'
import { DuetimeError } from '../../../core/errors.ts'
import { keyOfItem } from '../../../core/timer/idempotency.ts'
import type { Executed } from '../../../engine/shard-commands.ts'
import type { Timers } from '../../../service/timers.ts'
import { outcomeOf, readOrRefused } from '../../../service/item-outcomes.ts'
import type { BatchItems } from '../batch-items.ts'
import { nativeErrorFields } from '../../errors/native-envelope.ts'
import { isPlain, madeTimerJson, PLAIN_TIMER_JSON } from './made-timer-json.ts'
import { timerJson } from '../../../language/timer-json.ts'
import { toCreateCommand, toDeleteCommand, toUpdateCommand } from './mapping.ts'
import type { CreateContext } from './mapping.ts'
import type { BatchAction, CreateBody, DeleteBody, UpdateBody } from './schema.ts'

/** `idempotencyKey` is that of the whole batch: each create without an id or a key of its own has its part of it. */
export type BatchParts = CreateContext & {
  readonly timers: Timers
  readonly batchItems: BatchItems<BatchAction>
  /** New timers are answered with what the client does not know. */
  readonly isMinimal: boolean
}

/** The answer, as JSON. */
export async function runBatch(items: readonly unknown[], parts: BatchParts): Promise<string> {
  const judged = items.map((item, index) => readOrRefused(() => toCommand(item, index, parts)))
  const commands = judged.filter((one): one is Command => !(one instanceof DuetimeError))
  const executed = (await parts.timers.executeMany(commands)).values()
  const tally: Tally = { created: 0 }
  let [results, failed] = ['', 0]
  for (const [index, one] of judged.entries()) {
    const result = one instanceof DuetimeError ? one : outcomeOf(executed.next().value!)
    const isFailed = result instanceof DuetimeError
    if (isFailed) failed++
    else count(tally, one as Command)
    const json = isFailed
      ? errorJson(result, items[index])
      : parts.isMinimal && isMade(result, one as Command, items[index])
        ? `{"status":200,"made":${madeTimerJson(result.timer)}}`
        : doneJson(result, one as Command)
    results += index === 0 ? json : `,${json}`
  }
  const common = parts.isMinimal ? `"plainTimer":${PLAIN_TIMER_JSON},` : ''
  return `{"results":[${results}],${common}${JSON.stringify({ ...tally, failed }).slice(1)}`
}

function toCommand(item: unknown, index: number, parts: BatchParts): Command {
  const action = parts.batchItems.check(item)
  if (action === 'update') return toUpdateCommand(item as UpdateBody, parts)
  if (action === 'delete') return toDeleteCommand(item as DeleteBody)
  return toCreateCommand(
    item as CreateBody,
    parts.idempotencyKey === null ? parts : withKeyOfItem(item as CreateBody, index, parts),
  )
}

function withKeyOfItem({ idempotencyKey }: CreateBody, index: number, parts: BatchParts): BatchParts {
  return { ...parts, idempotencyKey: idempotencyKey === undefined ? keyOfItem(parts.idempotencyKey!, index) : null }
}

/** Updates and deletes are counted where there were some. */
type Tally = { created: number; updated?: number; deleted?: number }

function count(tally: Tally, { type }: Command): void {
  const name = type === 'create' ? 'created' : type === 'update' ? 'updated' : 'deleted'
  tally[name] = (tally[name] ?? 0) + 1
}

function errorJson(error: DuetimeError, item: unknown): string {
  const { status, json } = nativeErrorFields(error, item)
  return `{"status":${status},${json}}`
}

/** A plain timer that this very create has made. */
function isMade({ timer, changed }: Executed, { type }: Command, item: unknown): boolean {
  return type === 'create' && changed && isPlain(timer, item as CreateBody)
}

function doneJson({ timer }: Executed, { type }: Command): string {
  return type === 'cancel' ? '{"status":204}' : `{"status":200,"timer":${timerJson(timer)}}`
}
