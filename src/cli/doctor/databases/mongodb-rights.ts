// What this user may do in a MongoDB database: by its list of privileges, and by a write that changes nothing.

import type { Document } from 'mongodb'
import type { Documents } from '../../../store/mongodb/documents.ts'
import type { Findings } from '../finding.ts'

const NEEDED = ['find', 'insert', 'update', 'listIndexes']
const TO_MAKE = ['createCollection', 'createIndex']
const ADVICE = 'Give it the role readWrite on the database: docs/operations/mongodb.md.'
const UNAUTHORIZED = 13

type Place = { readonly database: string; readonly collection: string }
type Wanted = { readonly isPrepared: boolean; readonly makes: boolean }

/** True when nothing is missing, as far as the server tells. */
export async function judgeRights(documents: Documents, wanted: Wanted, findings: Findings): Promise<boolean> {
  const { db, collection } = documents
  const { authInfo } = await db.command({ connectionStatus: 1, showPrivileges: true })
  const privileges = (authInfo as Document)['authenticatedUserPrivileges'] as Document[] | undefined
  // A server that asks nobody for a name has none, and FerretDB lists none.
  const isToMake = !wanted.isPrepared && wanted.makes
  const needed = privileges?.length ? [...NEEDED, ...(isToMake ? TO_MAKE : [])] : []
  const place = { database: db.databaseName, collection: collection.collectionName }
  const missing = missingActions(privileges ?? [], needed, place)
  if (missing.length > 0) findings.fail(`the user may not ${missing.join(', ')} in ${documents.place}`, ADVICE)
  if (missing.length > 0 || !wanted.isPrepared) return missing.length === 0
  return await judgeWrite(documents, findings)
}

/** Of the actions that are needed, those that no privilege gives. */
export function missingActions(privileges: readonly Document[], needed: readonly string[], place: Place): string[] {
  const covers = ({ resource, actions }: Document, action: string): boolean => {
    const { anyResource, db, collection } = resource as Document
    const isHere = [place.database, ''].includes(db) && [place.collection, ''].includes(collection)
    return (anyResource === true || isHere) && (actions as string[]).includes(action)
  }
  return needed.filter((action) => !privileges.some((privilege) => covers(privilege, action)))
}

/** A write on a condition, as the service makes them: of what is there already, so that nothing changes. */
async function judgeWrite(documents: Documents, findings: Findings): Promise<boolean> {
  const { SETTINGS } = await import('../../../store/mongodb/setup.ts')
  try {
    await documents.update([{ q: { _id: SETTINGS }, u: { $setOnInsert: { doctor: true } }, upsert: true }])
    findings.ok('the user may read and write, and a majority answers')
    return true
  } catch (error) {
    if (((error as Error).cause as { readonly code?: number } | undefined)?.code !== UNAUTHORIZED) throw error
    findings.fail(`the user may not write in ${documents.place}`, ADVICE)
    return false
  }
}
