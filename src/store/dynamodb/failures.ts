// What an error of the SDK means for a call: whether it may have been done, and whether to try again.

import type { CancellationReason } from '@aws-sdk/client-dynamodb'
import type { FailureKind } from '../keyed/attempts.ts'
import type { Item } from '../keyed/timer-fields.ts'
import { plain } from './items.ts'

const REFUSED = 'ConditionalCheckFailed'
// As names of errors, and as reasons of a cancelled transaction, which has one for each write.
const BUSY =
  /^(?:None|Throttling|ProvisionedThroughputExceeded|RequestLimitExceeded|TransactionConflict)(?:Error|Exception)?$/
const FULL = /^ItemCollectionSizeLimitExceeded/
const AWAY = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']

type SdkError = Error & {
  readonly code?: string
  readonly $metadata?: { readonly httpStatusCode?: number }
  readonly CancellationReasons?: readonly CancellationReason[]
}

export function kindOf(error: unknown): FailureKind {
  const { name, code = '', $metadata, CancellationReasons: reasons } = error as SdkError
  const codes = reasons?.map((reason) => reason.Code ?? '') ?? []
  if (name === `${REFUSED}Exception` || codes.includes(REFUSED)) return 'refused'
  if ([name, ...codes].some((one) => FULL.test(one))) return 'full'
  if (BUSY.test(name) || (codes.length > 0 && codes.every((one) => BUSY.test(one)))) return 'busy'
  if (AWAY.includes(code)) return 'away'
  if (name.startsWith('Validation')) return 'malformed'
  if (codes.length > 0 || name === 'CredentialsProviderError') return 'wrong'
  const { httpStatusCode: status = 500 } = $metadata ?? {} // as if there was no answer
  return status >= 500 || name === 'TransactionInProgressException' ? 'lost' : 'wrong'
}

/** The reason of a cancelled transaction; of other errors, their message or code. */
export function messageOf(error: Error): string {
  const { message, code, name, CancellationReasons: reasons } = error as SdkError
  return reasons?.map((reason) => reason.Message ?? '').find((text) => text !== '') ?? (message || (code ?? name))
}

/** For each write of a transaction, whether it was in the way, and the item that is there. */
export type Refusals = readonly { readonly isInTheWay: boolean; readonly item: Item | null }[]

/** Why it was refused. Any other error is thrown. */
export function refusalsIn(error: unknown): Refusals {
  if (kindOf(error) !== 'refused') throw error
  return ((error as SdkError).CancellationReasons ?? []).map(({ Code, Item: item }) => {
    return { isInTheWay: Code === REFUSED, item: item === undefined ? null : plain(item) }
  })
}
