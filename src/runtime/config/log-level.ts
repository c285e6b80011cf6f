// How severe a message has to be to be logged: one word, or directives as RUST_LOG has them (`warn,duetime=debug`), of
// which those count that are about this program or about everything. People who run services of several kinds set one
// variable for all of them.

import type { ValueType } from './values.ts'

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
type LogLevel = (typeof LEVELS)[number]

const WORDS = LEVELS.join(', ')
const DIRECTIVE = /^(?:(?<target>[\w:.-]+)=)?(?<level>\w+)$/

export function logLevel(): ValueType<LogLevel> {
  return {
    describes: `one of ${LEVELS.map((level) => `\`${level}\``).join(', ')}, or directives such as \`warn,duetime=debug\``,
    placeholder: 'word',
    parse,
  }
}

function parse(text: string): LogLevel {
  let [own, all]: (LogLevel | null)[] = [null, null]
  for (const directive of text.split(',')) {
    const { target, level: word } = DIRECTIVE.exec(directive.trim())?.groups ?? {}
    const level = LEVELS.find((name) => name === (word?.toLowerCase() === 'off' ? 'silent' : word?.toLowerCase()))
    if (level === undefined)
      throw new RangeError(`one of ${WORDS}, or directives with these words, such as warn,duetime=debug`)
    if (target === undefined) all = level
    else if (target === 'duetime') own = level
  }
  return own ?? all ?? 'info'
}
