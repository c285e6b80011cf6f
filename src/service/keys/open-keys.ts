// The keys that the settings name: the one in API_KEY, and those in KEYS_FILE.

import { unrestricted } from '../../core/access/access.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import type { Config } from '../../runtime/config/config.ts'
import type { Logger } from '../../runtime/telemetry/logger.ts'
import { hashKey } from './api-key.ts'
import { KeyRing } from './key-ring.ts'
import { WatchedKeys } from './watched-keys.ts'

export type OpenKeys = {
  /** Null: no key is configured. An empty ring is something else: nobody has one. */
  readonly ring: KeyRing | null
  /** The file, read and not yet watched. */
  readonly watched: WatchedKeys | null
}

type KeySettings = Pick<Config, 'apiKey' | 'keysFile' | 'keysNeeded'>

/** Throws a KeysFileError when the file cannot be used. */
export async function openKeys(
  { apiKey, keysFile, keysNeeded }: KeySettings,
  parts: { clock: Clock; logger: Logger },
): Promise<OpenKeys> {
  if (!keysNeeded) return { ring: null, watched: null }
  const ring = new KeyRing(apiKey === null ? [] : [{ hash: hashKey(apiKey), principal: unrestricted('default') }])
  if (keysFile === null) return { ring, watched: null }
  const watched = new WatchedKeys({ path: keysFile, ring, ...parts })
  await watched.load()
  return { ring, watched }
}
