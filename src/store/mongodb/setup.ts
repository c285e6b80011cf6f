// The collection's indexes, and what is fixed when it is first used. Everything that can be wrong with it is found here,
// before the service says that it is ready.

import { randomBytes } from 'node:crypto'
import { StoreError } from '../store.ts'
import type { Documents } from './documents.ts'

const FORMAT = 1
const SETTINGS = 'store/settings'
const SECRET_BYTES = 32
export const INDEXES = [
  { name: 'order', key: { s: 1, k: 1 } },
  { name: 'gone', key: { gone: 1 }, expireAfterSeconds: 0, sparse: true },
] as const

export type StoreSettings = { readonly shards: number; readonly secret: string }

export async function prepareCollection(documents: Documents, shards: number): Promise<StoreSettings> {
  if ((await missingIndexes(documents)).length > 0)
    await documents.attempt(() => documents.collection.createIndexes(INDEXES.map((index) => ({ ...index }))))
  const secret = randomBytes(SECRET_BYTES).toString('base64')
  const first = { $setOnInsert: { format: FORMAT, shards, secret } }
  await documents.update([{ q: { _id: SETTINGS }, u: first, upsert: true }])
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
  if (stored === undefined) return null
  const { format, shards, secret } = stored
  if (format !== FORMAT)
    throw StoreError.lasting(`${documents.place} has format ${String(format)}, and this program knows ${FORMAT}`)
  return { shards: shards as number, secret: secret as string }
}
