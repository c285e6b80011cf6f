// What `platform` does to one timer, alone or as a part of a batch: each answers with the envelope of its success.

import type { CreateCommand } from '../../../core/rules/command.ts'
import { DuetimeError, ErrorCode } from '../../../core/errors.ts'
import type { TimerIdentity } from '../../../core/timer/ids.ts'
import type { Status } from '../../../core/timer/timer.ts'
import type { Timers } from '../../../service/timers.ts'
import { successJson } from './envelope.ts'
import { MIN_LEAD_MS, readIdentity, toChanges } from './mapping.ts'
import type { UpdateBody } from './schema.ts'
import { canceledJson, statusOf, summaryJson, updatedJson } from './timer-json.ts'

export async function createTimer(timers: Timers, command: CreateCommand): Promise<string> {
  const { timer } = await timers.execute(command)
  return successJson('timer created successfully', summaryJson(timer))
}

type Update = { readonly id: string; readonly body: UpdateBody; readonly payloadMaxBytes: number }

export async function updateTimer(timers: Timers, { id, body, payloadMaxBytes }: Update): Promise<string> {
  const change = {
    type: 'update',
    changes: toChanges(body, { payloadMaxBytes }),
    ifVersion: null,
    minLeadMs: MIN_LEAD_MS,
  } as const
  const { timer } = await inTime(
    'update',
    byUuid(id, (key) => timers.execute({ ...change, ...key })),
  )
  return successJson('timer updated successfully', updatedJson(timer))
}

export async function cancelTimer(timers: Timers, id: string): Promise<string> {
  const { timer } = await inTime(
    'cancel',
    byUuid(id, (key) => timers.execute({ type: 'cancel', ...key, ifVersion: null })),
  )
  return successJson('timer canceled successfully', canceledJson(timer))
}

/** Case does not matter in a UUID, and those made here are in lower case; an id that another contract gave may not be. */
export async function byUuid<T>(id: string, act: (key: TimerIdentity) => Promise<T>): Promise<T> {
  const [asGiven, inLowerCase] = [readIdentity(id), readIdentity(id.toLowerCase())]
  try {
    return await act(asGiven)
  } catch (error) {
    const isOtherCase =
      error instanceof DuetimeError && error.code === ErrorCode.timerNotFound && asGiven.id !== inLowerCase.id
    if (isOtherCase) return act(inLowerCase)
    throw error
  }
}

/** Puts a refusal that came too late into this contract's words. */
async function inTime<T>(verb: 'update' | 'cancel', executed: Promise<T>): Promise<T> {
  try {
    return await executed
  } catch (error) {
    if (!(error instanceof DuetimeError) || error.code !== ErrorCode.timerNotPending) throw error
    const status = statusOf({ status: error.details['status'] as Status })
    throw new DuetimeError(error.code, `cannot ${verb} timer with status '${status}'`, error.details, { cause: error })
  }
}
