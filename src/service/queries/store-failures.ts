// Asking the store on behalf of an entry point: its failures become the answer that entry points know. Why it failed is for the log: it
// names the host, the database and its user.

import { unavailable } from '../../core/errors.ts'
import { StoreError } from '../../store/store.ts'

const RETRY_AFTER_MS = 1_000

export async function asking<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof StoreError) throw unavailable('the store failed to answer', RETRY_AFTER_MS, error)
    throw error
  }
}
