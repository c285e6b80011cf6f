// The disk under a SQLite file: room, kind, and how long it takes to make a write durable, which every create waits for.

import { randomBytes } from 'node:crypto'
import { open, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../runtime/clock/clock.ts'
import { measuredText } from '../output/readable-time.ts'
import type { Findings } from './finding.ts'
import { messageOf } from './finding.ts'

const MIB = 2 ** 20
const ROOM_FAIL_BYTES = 64 * MIB // a checkpoint of the write-ahead log needs about that much
const ROOM_WARN_BYTES = 1_024 * MIB
/** As the kernel numbers them. SQLite's shared memory and locks do not work over a network. */
const NETWORK_FILE_SYSTEMS = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
])
const SYNCS = 20
const SYNC_BYTES = 4_096
const SYNC_WARN_MS = 20

export async function checkDisk(directory: string, clock: Clock, findings: Findings): Promise<void> {
  const { type, bsize, bavail, blocks } = await statfs(directory)
  const network = NETWORK_FILE_SYSTEMS.get(type)
  if (network !== undefined) {
    findings.fail(
      `${directory} is on ${network}, where SQLite’s locks cannot be relied on`,
      'Use a local disk, or PostgreSQL.',
    )
  }
  const free = bavail * bsize
  const said = `${bytesText(free)} free on the disk of ${directory} (${Math.floor((bavail / blocks) * 100)}%)`
  if (free < ROOM_FAIL_BYTES)
    findings.fail(said, 'Make room: writes fail when the disk is full, and creates are answered with 503.')
  else if (free < ROOM_WARN_BYTES)
    findings.warn(said, 'Make room before it is full. A shorter RETENTION keeps fewer finished timers.')
  else findings.ok(said)
  await measureSync(directory, clock, findings)
}

/** Into a file of its own, so that a running service is not disturbed beyond the disk’s time. */
async function measureSync(directory: string, clock: Clock, findings: Findings): Promise<void> {
  const path = join(directory, `.duetime-doctor-${randomBytes(4).toString('hex')}`)
  const times: number[] = []
  try {
    const file = await open(path, 'wx', 0o600)
    try {
      const page = randomBytes(SYNC_BYTES)
      for (let n = 0; n < SYNCS; n++) {
        const before = clock.monotonic()
        await file.write(page, 0, page.length, n * page.length)
        await file.datasync()
        times.push(clock.monotonic() - before)
      }
    } finally {
      await file.close()
    }
  } catch (error) {
    return findings.fail(
      `${directory} cannot be written to: ${messageOf(error)}`,
      'Give this user the right to write there, or choose another place.',
    )
  } finally {
    await rm(path, { force: true })
  }
  const sorted = times.toSorted((a, b) => a - b)
  const [median, slowest] = [sorted[SYNCS / 2]!, sorted.at(-1)!]
  const said = `a durable write takes ${measuredText(median)} (median of ${SYNCS}; the slowest ${measuredText(slowest)})`
  if (median > SYNC_WARN_MS)
    findings.warn(said, 'Every create waits for one. Use a faster disk: local SSDs take less than 2 ms.')
  else findings.ok(said)
}

export function bytesText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), units.length - 1)
  const value = bytes / 2 ** (10 * power)
  return `${value < 10 && power > 0 ? value.toFixed(1) : Math.round(value)} ${units[power]}`
}
