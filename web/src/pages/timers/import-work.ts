// Rows into the service, in batches: each row succeeds or fails by itself.

import type { NewTimer } from '@duetime/client'
import { duetime } from '../../api/client.ts'
import type { OnConflict } from '../../api/timer.ts'
import type { ImportRow } from './import-rows.ts'

export type ImportProgress = {
  readonly done: number
  readonly created: number
  readonly failed: number
  readonly faults: readonly { readonly line: number; readonly id: string; readonly message: string }[]
}

const BATCH = 500
const FAULTS_SHOWN = 200

type Choices = { readonly namespace: string | null; readonly onConflict: OnConflict }

export async function importRows(
  rows: readonly ImportRow[],
  { namespace, onConflict }: Choices,
  onProgress: (progress: ImportProgress) => void,
  signal: AbortSignal,
): Promise<ImportProgress> {
  const faults: { line: number; id: string; message: string }[] = []
  let created = 0
  let failed = 0
  const note = (line: number, id: unknown, message: string) => {
    failed++
    if (faults.length < FAULTS_SHOWN) faults.push({ line, id: typeof id === 'string' ? id : '', message })
  }
  for (let at = 0; at < rows.length && !signal.aborted; at += BATCH) {
    const batch = rows.slice(at, at + BATCH)
    const good = batch.filter((row) => 'timer' in row)
    for (const row of batch) if ('fault' in row) note(row.line, '', row.fault)
    if (good.length > 0) {
      const timers = good.map(({ timer }) =>
        namespace === null || timer['namespace'] !== undefined ? timer : { ...timer, namespace },
      )
      // What a row says is the service's to judge.
      const results = await duetime.batch(timers as unknown as readonly NewTimer[], { onConflict, signal })
      for (const [index, result] of results.entries()) {
        if (result.ok) created++
        else note(good[index]!.line, good[index]!.timer['id'], result.error.message)
      }
    }
    onProgress({ done: Math.min(rows.length, at + BATCH), created, failed, faults: [...faults] })
  }
  return { done: rows.length, created, failed, faults }
}
