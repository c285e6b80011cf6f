// Many creates in one request. Every item is checked, judged and answered by itself.

import type { CreateCommand, OnConflict } from '../../../core/command.ts'
import { DuetimeError, invalidInput } from '../../../core/errors.ts'
import type { Executed } from '../../../engine/shard.ts'
import type { Timers } from '../../../service/timers.ts'
import { nativeErrorFields } from '../../native/error-envelope.ts'
import { timerJson } from '../../native/timer-json.ts'
import { validationError } from '../../validation-message.ts'
import type { SchemaFault } from '../../validation-message.ts'
import { toCreateCommand } from './mapping.ts'
import type { CreateContext } from './mapping.ts'
import type { CreateBody } from './schema.ts'

/** A compiled schema: says yes, or no and leaves its reasons behind. */
export type ItemValidator = { (item: unknown): unknown; errors?: readonly SchemaFault[] | null }

export type BatchParts = {
  readonly timers: Timers
  readonly validate: ItemValidator
  readonly payloadMaxBytes: number
  readonly traceparent: string | null
  readonly onConflict: OnConflict
}

/** The answer, as JSON. */
export async function createBatch(items: readonly unknown[], parts: BatchParts): Promise<string> {
  const judged = items.map((item) => toCommand(item, parts))
  const commands = judged.filter((one): one is CreateCommand => !(one instanceof DuetimeError))
  const executed = (await parts.timers.createMany(commands)).values()
  const tally = { created: 0, failed: 0 }
  let results = ''
  for (const [index, one] of judged.entries()) {
    const result = one instanceof DuetimeError ? one : outcomeOf(executed.next().value!)
    results += `${index === 0 ? '' : ','}${resultJson(result, items[index], tally)}`
  }
  return `{"results":[${results}],"created":${tally.created},"failed":${tally.failed}}`
}

function toCommand(item: unknown, { validate, ...context }: CreateContext & BatchParts): CreateCommand | DuetimeError {
  if (validate(item) !== true) return itemError(validationError(validate.errors!))
  try {
    return toCreateCommand(item as CreateBody, context)
  } catch (error) {
    if (error instanceof DuetimeError) return error
    throw error
  }
}

/** A body that is no object at all is an item here. */
function itemError(error: DuetimeError): DuetimeError {
  return error.details['field'] === undefined ? invalidInput('timers', 'each of timers must be an object, as for create') : error
}

/** A failure that is not in the catalogue is a defect and fails the request as a whole. */
function outcomeOf(settled: PromiseSettledResult<Executed>): Executed | DuetimeError {
  if (settled.status === 'fulfilled') return settled.value
  if (settled.reason instanceof DuetimeError) return settled.reason
  throw settled.reason
}

function resultJson(result: Executed | DuetimeError, item: unknown, tally: { created: number; failed: number }): string {
  if (result instanceof DuetimeError) {
    tally.failed++
    const { status, json } = nativeErrorFields(result, item)
    return `{"status":${status},${json}}`
  }
  tally.created++
  return `{"status":200,"timer":${timerJson(result.timer)}}`
}
