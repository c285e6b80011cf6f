// A DynamoDB table, looked at without changing it: can it be reached, has it the right keys, may it be used, is there room in
// its partitions.

import type { DescribeContinuousBackupsCommandOutput, TableDescription } from '@aws-sdk/client-dynamodb'
import type { Clock } from '../../../runtime/clock/clock.ts'
import type { Config } from '../../../runtime/config/config.ts'
import type { DynamodbLocation } from '../../../runtime/config/databases/dynamodb.ts'
import { measuredText } from '../../output/readable-time.ts'
import { bytesText } from '../check-disk.ts'
import type { Findings } from '../finding.ts'
import { messageOf } from '../finding.ts'
import { judgeRights } from './dynamodb-rights.ts'

const PARTITION_BYTES_MAX = 10 * 2 ** 30 // of a table with a local index
const PARTITION_WARN_SHARE = 0.5
const PAYLOAD_BYTES_MAX = 2_500_000 // a transaction has 4 MB, and holds the rest of the row and its events too
const ACCESS =
  'The AWS SDK looks in the environment, in ~/.aws and at the role of the machine; docs/operations/dynamodb.md lists the rights.'

export async function checkDynamodb(
  location: DynamodbLocation,
  { config, clock }: { readonly config: Config; readonly clock: Clock },
  findings: Findings,
): Promise<void> {
  const { placeOf, Table } = await import('../../../store/dynamodb/table.ts')
  const { describeTable, readSettings, shapeProblem } = await import('../../../store/dynamodb/setup.ts')
  const table = await Table.connect(location, clock)
  try {
    const description = await describeTable(table)
    judgeClock(table.skewMs, findings)
    if (description === null) {
      const maker = config.migrateAtStart
        ? 'the first start makes it, if the credentials allow'
        : '`duetime migrate up` makes it with'
      return findings.ok(`there is no ${placeOf(location)} yet; ${maker} CreateTable`)
    }
    const problem = shapeProblem(description)
    if (problem !== null)
      return findings.fail(
        `table ${location.table} ${problem}`,
        'Make another one: docs/operations/dynamodb.md has its definition.',
      )
    findings.ok(`${placeOf(location)} is ${description.TableStatus?.toLowerCase()}, ${billing(description)}`)
    if (description.DeletionProtectionEnabled !== true)
      findings.warn('the table can be deleted with one call', 'Turn on deletion protection.')
    judgeBackups(await table.db.describeContinuousBackups({ TableName: table.name }).catch(() => null), findings)
    const settings = (await judgeRights(table, findings)) ? await readSettings(table) : null
    if (settings !== null) judgeSize(description.TableSizeBytes ?? 0, settings.shards, findings)
    if (config.payloadMaxBytes > PAYLOAD_BYTES_MAX)
      findings.warn(
        `PAYLOAD_MAX_BYTES is ${bytesText(config.payloadMaxBytes)}, and a transaction holds 4 MB in all`,
        `Set it to ${bytesText(PAYLOAD_BYTES_MAX)} at most: larger timers are refused by the database.`,
      )
  } catch (error) {
    findings.fail(messageOf(error), ACCESS)
  } finally {
    table.db.destroy()
  }
}

function judgeBackups(backups: DescribeContinuousBackupsCommandOutput | null, findings: Findings): void {
  const status = backups?.ContinuousBackupsDescription?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus
  if (status === 'ENABLED') findings.ok('point-in-time recovery is on')
  else if (status === 'DISABLED')
    findings.warn(
      'point-in-time recovery is off',
      'Turn it on: it is the backup of a table that is written to all the time.',
    )
}

function billing({ BillingModeSummary: mode, ProvisionedThroughput: units }: TableDescription): string {
  if (mode?.BillingMode === 'PAY_PER_REQUEST') return 'paid on demand'
  return `with ${units?.ReadCapacityUnits} read and ${units?.WriteCapacityUnits} write units provisioned`
}

/** Hashes spread timers evenly, so one shard has about the share of all. */
function judgeSize(bytes: number, shards: number, findings: Findings): void {
  const each = bytes / shards
  const said = `${shards} shards with about ${bytesText(each)} each, of the 10 GB that a partition can have`
  if (each > PARTITION_BYTES_MAX * PARTITION_WARN_SHARE)
    findings.warn(said, 'Shorten RETENTION, or make the partitions smaller with `duetime reshard`.')
  else findings.ok(said)
}

function judgeClock(skewMs: number, findings: Findings): void {
  if (skewMs === 0) findings.ok('this machine’s clock and the database’s agree within a second')
  else
    findings.warn(
      `this machine’s clock is ${measuredText(Math.abs(skewMs))} or more ${skewMs > 0 ? 'ahead of' : 'behind'} the database’s`,
      'Let chrony or systemd-timesyncd set it: timers fire by the clock of the node.',
    )
}
