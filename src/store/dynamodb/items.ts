// Items as plain values, and the expressions of the SDK written with them.

import type { AttributeValue, TransactWriteItem } from '@aws-sdk/client-dynamodb'
import type { Item, Value } from '../keyed/timer-fields.ts'

export type Key = { readonly pk: string; readonly sk: string }
/** An expression, and what stands for the names in it that begin with a colon. */
export type Expression = { readonly text: string; readonly values?: Item }

export const IF_NONE: Expression = { text: 'attribute_not_exists(pk)' }

/** Without what is null. */
export function marshalled(item: Readonly<Record<string, Value | null>>): Record<string, AttributeValue> {
  const attributes: Record<string, AttributeValue> = {}
  for (const [name, value] of Object.entries(item)) if (value !== null) attributes[name] = attribute(value)
  return attributes
}

export function plain(attributes: Readonly<Record<string, AttributeValue>>): Item {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, valueOf(value)]))
}

/** One write of a transaction. It changes only what is as `condition` says; else the whole is refused, with the item that is there. */
export type Write = { readonly condition?: Expression } & (
  | { readonly put: Item }
  | { readonly delete: Key }
  | { readonly check: Key }
  | { readonly update: Key; readonly by: Expression; readonly names?: Record<string, string> }
)

export function transactItem(table: string, write: Write): TransactWriteItem {
  const by = 'by' in write ? write.by : undefined
  const values = { ...prefixed(write.condition?.values), ...prefixed(by?.values) }
  const common = {
    TableName: table,
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
    ...(write.condition !== undefined && { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const }),
  }
  const ConditionExpression = write.condition?.text
  if ('put' in write) return { Put: { ...common, ConditionExpression, Item: marshalled(write.put) } }
  if ('delete' in write) return { Delete: { ...common, ConditionExpression, Key: marshalled(write.delete) } }
  if ('check' in write)
    return { ConditionCheck: { ...common, ConditionExpression: ConditionExpression!, Key: marshalled(write.check) } }
  const [Key, UpdateExpression, ExpressionAttributeNames] = [marshalled(write.update), write.by.text, write.names]
  return { Update: { ...common, ConditionExpression, Key, UpdateExpression, ExpressionAttributeNames } }
}

export function prefixed(values: Item = {}): Record<string, AttributeValue> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`:${name}`, attribute(value)]))
}

function attribute(value: Value): AttributeValue {
  if (typeof value === 'string') return { S: value }
  if (typeof value === 'number') return { N: String(value) }
  return typeof value === 'boolean' ? { BOOL: value } : { B: value }
}

function valueOf({ S, N, BOOL, B }: AttributeValue): Value {
  return S ?? (N === undefined ? (BOOL ?? B!) : Number(N))
}
