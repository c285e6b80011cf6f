// Where a command writes to: standard output for what was asked for, the other one for words beside it. Colours and the
// width count only where somebody looks; in a pipe everything is plain and whole.

import { styleText } from 'node:util'
import { systemClock } from '../../runtime/clock/clock.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import { clientEnvironment } from '../../runtime/client-environment.ts'
import type { ClientEnvironment } from '../../runtime/client-environment.ts'

export type Style = 'red' | 'green' | 'yellow' | 'cyan' | 'dim' | 'bold'
export type Paint = (style: Style, text: string) => string

export type Terminal = {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Null: nobody looks, so nothing need be cut. */
  readonly columns: number | null
  readonly paint: Paint
  readonly clock: Clock
  readonly environment: ClientEnvironment
}

const COLUMNS_MIN = 40

export function standardTerminal(): Terminal {
  const environment = clientEnvironment()
  const { isTTY } = process.stdout
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    columns: isTTY ? Math.max(process.stdout.columns, COLUMNS_MIN) : null,
    paint:
      isTTY && !environment.colorless
        ? (style, text) => styleText(style, text, { validateStream: false })
        : (_style, text) => text,
    clock: systemClock,
    environment,
  }
}

/** Whoever reads may stop reading, as `head` does: that is no failure of ours. */
export function endQuietlyWithReader(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
      process.exit(0)
    })
  }
}
