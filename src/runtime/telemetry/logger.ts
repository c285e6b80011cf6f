// Logs for machines and people. A message is static text and its data are fields, so that logs can be searched;
// every part logs through a child that names it. Never log payloads, headers of callbacks or keys: the
// redaction below is the second line of defence, not the first.

import { pino } from 'pino'
import type { DestinationStream, Logger as PinoLogger } from 'pino'
import type { Config } from '../config/config.ts'
import { prettyStream } from './logger-pretty.ts'

export type Logger = PinoLogger

export type LoggerOptions = Pick<Config, 'logLevel' | 'logFormat'> & {
  /** Where lines go; standard output unless a test listens. */
  readonly destination?: DestinationStream
}

const SECRET_FIELDS = [
  'authorization',
  'cookie',
  'password',
  'secret',
  'secrets',
  'token',
  'apiKey',
  'webhookSecrets',
  '["x-api-key"]',
]

export function createLogger(options: LoggerOptions): Logger {
  const output = options.destination ?? standardOutput()
  return pino(
    {
      level: options.logLevel,
      base: null, // the pid and host name are the supervisor's business and cost 40 bytes a line
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: pino.stdSerializers.err, error: pino.stdSerializers.err },
      redact: { paths: SECRET_FIELDS.flatMap(atDepths), censor: '[redacted]' },
    },
    isPretty(options.logFormat) ? prettyStream(output) : output,
  )
}

/** Whether people are reading: what `auto` comes down to. */
export function isPretty(logFormat: Config['logFormat']): boolean {
  return logFormat === 'auto' ? process.stdout.isTTY : logFormat === 'pretty'
}

/** `part` is the first thing one filters by. */
export function partLogger(logger: Logger, part: string): Logger {
  return logger.child({ part })
}

/** A line that another thread has made, with its end. */
export function writeLine(logger: Logger, line: string): void {
  ;(logger as unknown as Record<symbol, DestinationStream>)[pino.symbols.streamSym]!.write(line)
}

/** For tests and tools that have nothing to say. */
export function silentLogger(): Logger {
  return pino({ level: 'silent' })
}

/** Not synchronous: a slow reader of the pipe must not hold up the thread that fires timers. Flushed at exit. */
function standardOutput(): DestinationStream {
  return pino.destination({ fd: 1, sync: false })
}

/** Redaction has no "at any depth"; three levels cover what is ever logged: field, object, request headers. */
function atDepths(field: string): string[] {
  const suffix = field.startsWith('[') ? field : `.${field}`
  return [field, `*${suffix}`, `*.*${suffix}`]
}
