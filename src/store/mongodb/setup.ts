// The collection's indexes, and what is fixed when it is first used. Everything that can be wrong with it is found here,
// before the service says that it is ready.

import { newSettings, settingsOf } from '../keyed/store-settings.ts'
import type { KeyedOptions, StoredSettings, StoreSettings } from '../keyed/store-settings.ts'
import type { Document } from 'mongodb'
import type { Documents } from './documents.ts'

export const SETTINGS = 'store/settings'
export const INDEXES = [
  { name: 'order', key: { s: 1, k: 1 } },
  { name: 'gone', key: { gone: 1 }, expireAfterSeconds: 0, sparse: true },
] as const

export async function prepareCollection(documents: Documents, options: KeyedOptions): Promise<StoreSettings> {
  if ((await missingIndexes(documents)).length > 0)
    await documents.attempt(() => documents.collection.createIndexes(INDEXES.map((index) => ({ ...index }))))
  await documents.update([{ q: { _id: SETTINGS }, u: { $setOnInsert: newSettings(options) }, upsert: true }])
  return (await readSettings(documents))!
}

export async function missingIndexes(documents: Documents): Promise<readonly string[]> {
  const names = await documents.attempt(() =>
    documents.collection.indexes().catch((error: { readonly code?: number }) => {
      if (error.code === NAMESPACE_NOT_FOUND) return []
      throw error
    }),
  )
  const there = new Set(names.map(({ name }) => name))
  return INDEXES.map(({ name }) => name).filter((name) => !there.has(name))
}
const NAMESPACE_NOT_FOUND = 26

/** Null for a database that no service has used yet. */
export async function readSettings(documents: Documents): Promise<StoreSettings | null> {
  const [stored] = await documents.find({ _id: SETTINGS })
  return stored === undefined ? null : settingsOf(stored as Document as StoredSettings, documents.place)
}
