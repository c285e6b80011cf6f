// `duetime keys …`: makes keys, hashes them, shows what a keys file has. A key is shown once, when it is made; what is
// kept is its hash. On standard output there is only what a script would want; words for people go to the other one.

import { randomBytes } from 'node:crypto'
import { open, readFile, rename, stat } from 'node:fs/promises'
import type { Permission } from '../../core/access/access.ts'
import { API_KEY_CHARS_MIN } from '../../core/limits.ts'
import { createKey, hashKey } from '../../service/keys/api-key.ts'
import { defaultBurst, KeysFileError, parseKeyEntries } from '../../service/keys/key-entries.ts'
import type { KeyEntryJson } from '../../service/keys/key-entries.ts'
import { table } from '../output/table.ts'
import { UsageError } from '../command/usage-error.ts'

export type KeysOutput = { readonly out: (text: string) => void; readonly err: (text: string) => void }

export type NewKey = {
  readonly name: string
  readonly permissions: readonly string[]
  readonly namespaces: readonly string[]
  readonly ratePerSecond: number | null
  readonly burst: number | null
  /** Null: wherever the service lets callbacks publish. */
  readonly natsSubjects: readonly string[] | null
  /** Null: the entry is printed. */
  readonly file: string | null
}

/** Throws a UsageError when there is something wrong with the key, a KeysFileError when there is with the file it shall go to. */
export async function createKeyEntry(asked: NewKey, { out, err }: KeysOutput): Promise<void> {
  const key = createKey()
  const entry = entryOf(asked, hashKey(key))
  const json = JSON.stringify(entry)
  assertPossible(json)
  if (asked.file === null) {
    err('The key, which is not shown again, and its entry for KEYS_FILE:\n')
    return out(`${key}\n${json}\n`)
  }
  await addToFile(asked.file, entry)
  err(`Added '${asked.name}' to ${asked.file}. The key, which is not shown again:\n`)
  out(`${key}\n`)
}

function entryOf(
  { name, permissions, namespaces, ratePerSecond, burst, natsSubjects }: NewKey,
  hash: string,
): KeyEntryJson {
  const rateLimit =
    ratePerSecond === null
      ? {}
      : { rateLimit: { perSecond: ratePerSecond, burst: burst ?? defaultBurst(ratePerSecond) } }
  return {
    name,
    hash,
    permissions: permissions as readonly Permission[],
    namespaces,
    ...rateLimit,
    ...(natsSubjects !== null && { natsSubjects }),
  }
}

/** What the file could not have is no key either. */
function assertPossible(json: string): void {
  try {
    parseKeyEntries(`[${json}]`, '')
  } catch (error) {
    if (!(error instanceof KeysFileError)) throw error
    throw new UsageError(error.problems.map((problem) => problem.replace(/^entry 1[^:]*: /, '')).join('\n'), {
      cause: error,
    })
  }
}

/** A running service may read the file at any moment, so it is written beside it and then put in its place. */
async function addToFile(path: string, entry: KeyEntryJson): Promise<void> {
  const before = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '[]'
    throw error
  })
  parseKeyEntries(before, path)
  const entries = [...(JSON.parse(before) as KeyEntryJson[]), entry]
  const text = `[\n${entries.map((one) => `  ${JSON.stringify(one)}`).join(',\n')}\n]\n`
  parseKeyEntries(text, path)
  const mode = await stat(path).then(
    (found) => found.mode & 0o777,
    () => 0o600,
  )
  const beside = `${path}.${randomBytes(4).toString('hex')}`
  const file = await open(beside, 'wx', mode)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(beside, path)
}

/** `text` is what came on standard input. */
export function printHash(text: string, { out }: KeysOutput): void {
  const key = text.trim()
  if (key.length < API_KEY_CHARS_MIN || !/^[\x21-\x7e]+$/.test(key)) {
    throw new UsageError(
      `A key has at least ${API_KEY_CHARS_MIN} printable characters without spaces; \`duetime keys create\` makes one.`,
    )
  }
  out(`${hashKey(key)}\n`)
}

export async function listKeys(path: string, { out }: KeysOutput): Promise<void> {
  const entries = parseKeyEntries(await readFile(path, 'utf8'), path)
  const rows = entries.map(({ hash, principal: { name, permissions, namespaces, rateLimit } }) => [
    name,
    [...permissions].join(','),
    namespaces?.join(',') ?? '*',
    rateLimit === null ? '-' : `${rateLimit.perSecond}/s, ${rateLimit.burst} at once`,
    hash.slice(0, 'sha256:'.length + 8),
  ])
  const columns = ['NAME', 'PERMISSIONS', 'NAMESPACES', 'RATE', 'HASH'].map((title) => ({ title }))
  out(table(columns, rows, { columns: null, paint: (_style, text) => text }))
}
