// What an error of the SDK means for a call: whether it may have been done, and whether to try again. Nothing here names a
// credential: messages go to the log and to people.

import type { CancellationReason } from '@aws-sdk/client-dynamodb'
import type { FailureKind } from '../attempts.ts'
import { StoreError } from '../store.ts'
import { plain } from './items.ts'
import type { Item } from '../keyed/timer-fields.ts'

const REFUSED = 'ConditionalCheckFailed'
const BUSY = [
  'ThrottlingException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'TransactionConflictException',
]
const BUSY_REASONS = ['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded']
const FULL = ['ItemCollectionSizeLimitExceeded', 'ItemCollectionSizeLimitExceededException']
const AWAY = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']

type SdkError = Error & {
  readonly code?: string
  readonly $metadata?: { readonly httpStatusCode?: number }
  readonly CancellationReasons?: readonly CancellationReason[]
}

export function failureKind(error: unknown): FailureKind {
  const { name, code = '', $metadata, CancellationReasons: reasons } = error as SdkError
  const codes = reasons?.map((reason) => reason.Code ?? '') ?? []
  if (FULL.includes(name) || codes.some((one) => FULL.includes(one))) return 'full'
  if (BUSY.includes(name)) return 'busy'
  if (reasons !== undefined)
    return codes.every((one) => one === 'None' || BUSY_REASONS.includes(one)) ? 'busy' : 'wrong'
  if (AWAY.includes(code)) return 'away'
  if (name === 'TransactionInProgressException') return 'lost'
  const status = $metadata?.httpStatusCode
  return status === undefined
    ? name === 'CredentialsProviderError'
      ? 'wrong'
      : 'lost'
    : status >= 500
      ? 'lost'
      : 'wrong'
}

/** A condition was not met, so nothing was done by this attempt. */
export class Refusal extends Error {
  /** Of a transaction: for each of its writes, whether it was in the way, and the item that is there. */
  readonly reasons: readonly { readonly isInTheWay: boolean; readonly item: Item | null }[]
  /** An earlier attempt of the same call was lost: perhaps what is in the way is what that one did. */
  readonly mayBeDone: boolean

  constructor(reasons: readonly CancellationReason[], mayBeDone: boolean) {
    super('a condition was not met')
    this.reasons = reasons.map(({ Code, Item: item }) => {
      return { isInTheWay: Code === REFUSED, item: item === undefined ? null : plain(item) }
    })
    this.mayBeDone = mayBeDone
  }
}

/** Null for any other failure. */
export function refusalOf(error: unknown, mayBeDone: boolean): Refusal | null {
  const { name, CancellationReasons: reasons = [] } = error as SdkError
  const isRefused = name === `${REFUSED}Exception` || reasons.some(({ Code }) => Code === REFUSED)
  return isRefused ? new Refusal(reasons, mayBeDone) : null
}

/** `mayBeDone`: an earlier attempt of the same call was lost. */
export function storeError(error: unknown, place: string, mayBeDone: boolean): StoreError {
  const kind = failureKind(error)
  const { name, message, code, CancellationReasons: reasons } = error as SdkError
  const details = reasons?.map((reason) => reason.Message ?? '').find((text) => text !== '')
  const said = details ?? (message === '' ? (code ?? name) : message)
  return new StoreError(`DynamoDB (${place}): ${name === 'Error' ? '' : `${name}: `}${said}`, {
    retryable: kind !== 'wrong' || !name.startsWith('Validation'),
    outcomeUnknown: mayBeDone || kind === 'lost',
    isFull: kind === 'full',
    cause: error,
  })
}
