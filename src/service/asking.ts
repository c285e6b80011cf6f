// Asking the store on behalf of a door: its failures become the answer that doors know.

import { unavailable } from '../core/errors.ts'
import { StoreError } from '../store/store.ts'

const RETRY_AFTER_MS = 1_000

export async function asking<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof StoreError) throw unavailable(`the store failed: ${error.message}`, RETRY_AFTER_MS, error)
    throw error
  }
}
