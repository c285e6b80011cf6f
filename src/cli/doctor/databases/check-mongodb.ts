// A MongoDB database, looked at without changing it: can it be reached, which server is it, does it keep what it acknowledges, has
// the collection its indexes, may it be used, do the clocks agree.

import type { Document } from 'mongodb'
import type { Clock } from '../../../runtime/clock/clock.ts'
import type { Config } from '../../../runtime/config/config.ts'
import type { MongodbLocation } from '../../../runtime/config/databases/mongodb.ts'
import type { Documents } from '../../../store/mongodb/documents.ts'
import { measuredText } from '../../output/readable-time.ts'
import { bytesText } from '../check-disk.ts'
import type { Findings } from '../finding.ts'
import { messageOf } from '../finding.ts'
import { judgeRights } from './mongodb-rights.ts'

const VERSION_MIN = 6
const CLOCK_SKEW_MAX_MS = 1_000
const DISK_WARN_SHARE = 0.8
const PAYLOAD_BYTES_MAX = 12 * 2 ** 20 // a document holds 16 MiB, and the rest of the row and its events are in it too
const PAGE = 'docs/operations/mongodb.md'

export async function checkMongodb(
  location: MongodbLocation,
  { config, clock }: { readonly config: Config; readonly clock: Clock },
  findings: Findings,
): Promise<void> {
  const { Documents: Client } = await import('../../../store/mongodb/documents.ts')
  let documents: Documents | null = null
  try {
    documents = await Client.connect(location, clock)
    const { db } = documents
    const build = await db.command({ buildInfo: 1 })
    judgeServer(build, await db.command({ hello: 1 }), documents.place, findings)
    const askedAt = clock.now()
    const { localTime } = await db.command({ hello: 1 })
    judgeClock((askedAt + clock.now()) / 2 - (localTime as Date).getTime(), findings)
    const status = await db
      .admin()
      .command({ serverStatus: 1 })
      .catch(() => null)
    if (status?.['storageEngine']?.persistent === false)
      findings.fail('the storage engine keeps everything in memory', 'Use WiredTiger: acknowledged timers must last.')
    await judgeCollection(documents, config.migrateAtStart, findings)
    if (config.payloadMaxBytes > PAYLOAD_BYTES_MAX)
      findings.warn(
        `PAYLOAD_MAX_BYTES is ${bytesText(config.payloadMaxBytes)}, and a document holds 16 MB in all`,
        `Set it to ${bytesText(PAYLOAD_BYTES_MAX)} at most: larger timers are refused by the database.`,
      )
  } catch (error) {
    findings.fail(messageOf(error), `${PAGE} lists the rights that the service needs.`)
  } finally {
    await documents?.client.close()
  }
}

function judgeServer(build: Document, hello: Document, place: string, findings: Findings): void {
  const version = String(build['version'])
  const ferret = (build['ferretdb'] as Document | undefined)?.['version'] as string | undefined
  if (ferret !== undefined)
    return findings.ok(
      `${place} is FerretDB ${ferret}, where this store is tested; its PostgreSQL decides what survives`,
    )
  if (Number.parseInt(version, 10) < VERSION_MIN)
    findings.warn(`${place} is MongoDB ${version}`, `Use ${VERSION_MIN}.0 or later: older ones are not maintained.`)
  else findings.ok(`${place} is MongoDB ${version}`)
  findings.warn(
    'this store was tested with FerretDB 2.7 and not yet with MongoDB itself',
    `${PAGE} says what that means.`,
  )
  if (hello['setName'] !== undefined || hello['msg'] === 'isdbgrid')
    findings.ok('writes wait for a majority of its members')
  else
    findings.warn(
      'the server is no member of a replica set',
      'Make it one, of three members: one server is one disk, and nobody takes over.',
    )
}

async function judgeCollection(documents: Documents, makes: boolean, findings: Findings): Promise<void> {
  const { missingIndexes, readSettings } = await import('../../../store/mongodb/setup.ts')
  const settings = await readSettings(documents)
  if (!(await judgeRights(documents, { isPrepared: settings !== null, makes }, findings))) return
  const maker = makes ? 'the first start' : '`duetime migrate up`'
  if (settings === null) return findings.ok(`no service has used the database yet; ${maker} prepares it`)
  const missing = await missingIndexes(documents)
  if (missing.length > 0)
    return findings.warn(`the collection lacks its index ${missing.join(' and ')}`, 'The next start makes it.')
  findings.ok(`its collection has the indexes and ${settings.shards} shards`)
  await judgeSize(documents, findings)
}

/** A collection has no limit of its own. */
async function judgeSize({ db, collection }: Documents, findings: Findings): Promise<void> {
  const stats = await db.command({ collStats: collection.collectionName }).catch(() => null)
  if (stats === null) return
  const bytes = Number(stats['storageSize']) + Number(stats['totalIndexSize'])
  const said = `it takes ${bytesText(bytes)} with its indexes; the disk of each member is its only limit`
  const { fsUsedSize: used, fsTotalSize: total } = await db.command({ dbStats: 1 }).catch((): Document => ({}))
  if (total === undefined) return findings.ok(said) // FerretDB does not tell
  const disk = `${said}, of which ${bytesText(Number(used))} of ${bytesText(Number(total))} are in use`
  if (Number(used) > Number(total) * DISK_WARN_SHARE)
    findings.warn(disk, 'Shorten RETENTION, or give the members larger disks.')
  else findings.ok(disk)
}

function judgeClock(skewMs: number, findings: Findings): void {
  if (Math.abs(skewMs) <= CLOCK_SKEW_MAX_MS)
    return findings.ok('this machine’s clock and the database’s agree within a second')
  return findings.warn(
    `this machine’s clock is ${measuredText(Math.abs(skewMs))} ${skewMs > 0 ? 'ahead of' : 'behind'} the database’s`,
    'Let chrony or systemd-timesyncd set it: timers fire by the clock of the node.',
  )
}
