// Every setting of the service, once: the environment variable, the flag, --help, the reference page and the
// type of Config all come from these lists. A new setting is a new line in one of them and nothing else.

import { LOG_SETTINGS } from './settings/log-settings.ts'
import { NATS_SETTINGS } from './settings/nats-settings.ts'
import { SERVER_SETTINGS } from './settings/server-settings.ts'
import type { Setting } from './settings/setting.ts'
import { STORAGE_SETTINGS } from './settings/storage-settings.ts'
import { TIMER_SETTINGS } from './settings/timer-settings.ts'

export type { Setting }

/** In the order in which they are documented. */
export const SETTINGS = {
  ...SERVER_SETTINGS,
  ...STORAGE_SETTINGS,
  ...TIMER_SETTINGS,
  ...NATS_SETTINGS,
  ...LOG_SETTINGS,
}

/** What the settings read, before the rules that join several of them. */
export type SettingValues = {
  readonly [K in keyof typeof SETTINGS]: (typeof SETTINGS)[K] extends Setting<infer T> ? T : never
}
