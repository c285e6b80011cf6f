// What these credentials may do with a DynamoDB table, by doing it: nothing else tells, because rights come from policies of users,
// roles and organisations. No write has an effect: each has a condition that is not met, or deletes what is not there.

import type { Table } from '../../../store/dynamodb/table.ts'
import type { Findings } from '../finding.ts'

const THERE = { text: 'attribute_exists(pk)' }
const TIMERS = { from: '2/', to: '2/~' } // of the index
const OTHERS = { from: 'doctor', to: 'doctor~' }

/** True when nothing is missing. */
export async function judgeRights(table: Table, findings: Findings): Promise<boolean> {
  const { clusterKey } = await import('../../../store/dynamodb/keys.ts')
  const key = clusterKey('doctor')
  const rights: Readonly<Record<string, () => Promise<unknown>>> = {
    BatchGetItem: () => table.get(key),
    'Query on the table': () => table.query(key.pk, OTHERS, { limit: 1 }),
    'Query on its index': () => table.query(key.pk, TIMERS, { limit: 1 }),
    PutItem: () => table.put(key, THERE),
    'PutItem in a transaction': () => table.transact([{ put: key, condition: THERE }]),
    UpdateItem: () => table.transact([{ update: key, by: { text: 'ADD x :x', values: { x: 1 } }, condition: THERE }]),
    DeleteItem: () => table.transact([{ delete: key, condition: THERE }]),
    ConditionCheckItem: () => table.transact([{ check: key, condition: THERE }]),
    BatchWriteItem: () => table.delete([key]),
  }
  const denied: string[] = []
  for (const [right, attempt] of Object.entries(rights)) if (await isDenied(attempt)) denied.push(right)
  if (denied.length > 0)
    findings.fail(`these credentials may not ${denied.join(', ')}`, 'docs/operations/dynamodb.md lists the rights.')
  else findings.ok('these credentials may read and write, also on conditions and in transactions')
  return denied.length === 0
}

async function isDenied(attempt: () => Promise<unknown>): Promise<boolean> {
  const { kindOf } = await import('../../../store/dynamodb/failures.ts')
  try {
    await attempt()
    return false
  } catch (error) {
    if (((error as Error).cause as Error | undefined)?.name === 'AccessDeniedException') return true
    if (kindOf(error) === 'refused') return false
    throw error
  }
}
