// `duetime export` and `duetime import`: moves timers from one database to another by way of a file. An export is of one
// moment: a SQLite file is read as it is now, also while the service writes to it; a database that nodes share is held
// still meanwhile, as it is for an import.

import { systemClock } from '../../runtime/clock/clock.ts'
import type { Config } from '../../runtime/config/config.ts'
import type { Stillness } from '../../service/transfer/export-progress.ts'
import { exportTimers } from '../../service/transfer/export-timers.ts'
import type { TimerSource } from '../../service/transfer/export-timers.ts'
import { importTimers } from '../../service/transfer/import-timers.ts'
import type { ImportResult, KeptTimer } from '../../service/transfer/import-timers.ts'
import { checkTimerFile } from '../../service/transfer/read-timer-file.ts'
import { TransferError } from '../../service/transfer/transfer-error.ts'
import { databaseFile } from '../../store/database-file.ts'
import type { Flags } from '../command/given-flags.ts'
import { lastingDatabase, untilInterrupted, withOwnedStore } from './owned-store.ts'
import { counted, ProgressBar } from './progress-bar.ts'
import { fileState } from './file-state.ts'

export async function runExport({ to, flags }: { readonly to: string; readonly flags: Flags }): Promise<void> {
  const config = lastingDatabase(flags)
  const { timers, resumedAt } = await untilInterrupted((signal) =>
    withSource(config, async (source, stillness) => {
      const bar = new ProgressBar('Exporting', systemClock)
      const onProgress = (done: number, total: number) => bar.update(done, total)
      return exportTimers({ source, stillness, path: to, clock: systemClock, signal, onProgress }).finally(() =>
        bar.end(),
      )
    }),
  )
  const before = resumedAt > 0 ? `, ${counted(resumedAt)} of them before it was interrupted` : ''
  process.stdout.write(
    `Exported ${counted(timers)} timers to ${to}${before}. Payloads and headers are in it: keep it safe.\n`,
  )
}

export type ImportRequest = { readonly from: string; readonly update: boolean; readonly flags: Flags }

export async function runImport({ from, update, flags }: ImportRequest): Promise<void> {
  const config = lastingDatabase(flags)
  const checking = new ProgressBar('Checking ', systemClock)
  await checkTimerFile(from, (done, total) => checking.update(done, total)).finally(() => checking.end())
  const result = await untilInterrupted((signal) =>
    withOwnedStore(config, async (store, owner) => {
      const bar = new ProgressBar('Importing', systemClock)
      const onProgress = (done: number, total: number) => bar.update(done, total)
      return importTimers({ store, owner, path: from, update, signal, onProgress }).finally(() => bar.end())
    }),
  )
  process.stdout.write(`${summaryOf(result)}\n`)
  if (result.kept > 0) throw new TransferError(explainKept(result, update))
}

type Exporting<T> = (source: TimerSource, stillness: Stillness | null) => Promise<T>

async function withSource<T>(config: Config, work: Exporting<T>): Promise<T> {
  const file = databaseFile(config.database)
  if (file === null) return withOwnedStore(config, (store, owner) => work(store, owner.stillness()))
  const before = fileState(file.path, systemClock.now())
  const snapshot = await file.openSnapshot()
  try {
    const isStill = before !== null && fileState(file.path, systemClock.now()) === before
    return await work(snapshot, isStill ? { found: before, left: before } : null)
  } finally {
    await snapshot.close()
  }
}

function summaryOf({ added, updated, present }: ImportResult): string {
  const changed = updated > 0 ? `, ${counted(updated)} updated` : ''
  return `${counted(added)} timers added${changed}, ${counted(present)} were there already.`
}

/** Whoever deletes the old database next must not overlook it. */
function explainKept({ kept, keptExamples }: ImportResult, update: boolean): string {
  const others = kept - keptExamples.length
  const advice = update
    ? 'They are later than those in the file, or other timers.'
    : 'With --update the file wins where it is later.'
  const lines = [...keptExamples.map(keptLine), ...(others > 0 ? [`  and ${counted(others)} more`] : [])]
  return `${counted(kept)} timers were left as they are, because the database has another version of them. ${advice}\n${lines.join('\n')}`
}

function keptLine({ namespace, id, versionInFile, versionThere }: KeptTimer): string {
  return `  ${namespace}/${id}: version ${versionInFile} in the file, ${versionThere} in the database`
}
