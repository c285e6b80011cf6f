// What is logged, and how.

import { logLevel } from '../log-level.ts'
import { choice } from '../values.ts'
import { group, setting } from './setting.ts'

export const LOG_SETTINGS = {
  ...group('Logs', {
    logLevel: setting('LOG_LEVEL', logLevel(), 'info', {
      help: 'The least severe messages that are logged. `RUST_LOG` counts where it is not set.',
      alias: 'RUST_LOG',
    }),
    logFormat: setting('LOG_FORMAT', choice('auto', 'json', 'pretty'), 'auto', {
      help: '`auto` is `pretty` in a terminal and `json` elsewhere.',
    }),
  }),
}
