// A SQLite file, looked at through a read-only connection: a service that has it open notices nothing, and its lock is
// neither taken nor waited for.

import { access, constants, readFile, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Clock } from '../../../runtime/clock/clock.ts'
import { lengthText } from '../../output/readable-time.ts'
import { timersText } from '../../transfer/progress-bar.ts'
import { bytesText, checkDisk } from '../check-disk.ts'
import type { Findings } from '../finding.ts'
import { messageOf } from '../finding.ts'

const WAL_WARN_BYTES = 512 * 2 ** 20 // the service keeps it below a quarter of that
const LATE_MS = 10_000
const CACHE_MIB = 2
const LATE_SQL =
  'SELECT count(*) AS n, min(timer_execute_at) AS since FROM timers WHERE row_type = 2 AND timer_execute_at < ?'
const BUSY = 'See what the service says below: slow receivers, or too few deliveries at once (DELIVERIES_MAX).'

export async function checkSqlite(given: string, clock: Clock, findings: Findings): Promise<void> {
  const path = resolve(given)
  const size = await sizeOf(path)
  if (size === null) return checkPlace(path, clock, findings)
  if (!(await may(path, constants.R_OK | constants.W_OK)) || !(await may(dirname(path), constants.W_OK))) {
    findings.fail(
      `this user may not write to ${path} and the folder it is in`,
      'Run the service as its owner, or chown both.',
    )
  }
  await checkMode(path, findings)
  const isInUse = await checkContents(path, { size, clock }, findings)
  const wal = await sizeOf(`${path}-wal`)
  if (wal !== null && wal > WAL_WARN_BYTES) {
    const advice = isInUse
      ? 'Something reads from an old state of the file: look for a long export, a backup or a sqlite3 shell (`fuser` names them).'
      : 'It is worked in at the next start, which takes the longer.'
    findings.warn(`the write-ahead log has grown to ${bytesText(wal)}`, advice)
  } else if (wal !== null) findings.ok(`the write-ahead log has ${bytesText(wal)}`)
  await checkDisk(dirname(path), clock, findings)
}

/** There is no file yet. */
async function checkPlace(path: string, clock: Clock, findings: Findings): Promise<void> {
  let directory = dirname(path)
  while ((await sizeOf(directory)) === null && dirname(directory) !== directory) directory = dirname(directory)
  if (!(await may(directory, constants.W_OK))) {
    return findings.fail(
      `there is no ${path}, and this user may not make it in ${directory}`,
      'Choose another TIMER_DB_PATH, or chown the folder.',
    )
  }
  findings.ok(`there is no ${path} yet; the first start makes it`)
  await checkDisk(directory, clock, findings)
}

async function checkMode(path: string, findings: Findings): Promise<void> {
  const { mode } = await stat(path)
  if ((mode & 0o007) !== 0)
    findings.warn(`every user of this machine can open ${path}, payloads and headers included`, `chmod 640 ${path}`)
}

type About = { readonly size: number; readonly clock: Clock }

/** Whether a service has it open. */
async function checkContents(path: string, { size, clock }: About, findings: Findings): Promise<boolean> {
  const { openForReading } = await import('../../../store/sqlite/file/connection.ts')
  const { SCHEMA_VERSION, schemaVersion } = await import('../../../store/sqlite/file/migrations.ts')
  const pid = await lockHolder(`${path}.lock`)
  try {
    const db = openForReading({ path, cacheMiB: CACHE_MIB })
    try {
      const version = schemaVersion(db)
      if (version < SCHEMA_VERSION) {
        findings.warn(
          `${path} has schema version ${version}, and this program ${SCHEMA_VERSION}`,
          'The next start migrates it. Make a backup first: `duetime backup`.',
        )
      }
      findings.ok(
        `${path}: ${bytesText(size)}, schema version ${version}, ${pid === null ? 'no service has it open' : `in use by process ${pid}`}`,
      )
      const late = db.prepare(LATE_SQL).get(clock.now() - LATE_MS)!
      const count = Number(late['n'])
      if (count > 0) {
        const said = `${timersText(count)} overdue, the first by ${lengthText(clock.now() - Number(late['since']))}`
        findings.warn(said, pid === null ? 'They fire as soon as the service is started.' : BUSY)
      }
    } finally {
      db.close()
    }
  } catch (error) {
    findings.fail(messageOf(error), 'Check TIMER_DB_PATH or DATABASE_URL; restore a backup if the file is broken.')
  }
  return pid !== null
}

/** The kernel's list of locks tells who holds one without trying to take it. Null where there is no such list. */
async function lockHolder(path: string): Promise<number | null> {
  try {
    const { ino } = await stat(path)
    const line = (await readFile('/proc/locks', 'utf8'))
      .split('\n')
      .find((one) => one.includes('WRITE') && one.includes(`:${ino} `))
    const pid = Number(line?.trim().split(/\s+/)[4])
    return Number.isInteger(pid) && pid > 0 ? pid : null
  } catch {
    return null
  }
}

async function sizeOf(path: string): Promise<number | null> {
  return stat(path).then(
    ({ size }) => size,
    () => null,
  )
}

async function may(path: string, mode: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  )
}
