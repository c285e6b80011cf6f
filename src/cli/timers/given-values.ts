// The values of flags that have a form of their own: headers, labels, payloads.

import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { UsageError } from '../command/usage-error.ts'

export function readHeader(given: string): [string, string] {
  const colon = given.indexOf(':')
  if (colon < 1)
    throw new UsageError(`--header ${given}: write the name, a colon and the value, such as "Authorization: Bearer …".`)
  return [given.slice(0, colon).trim(), given.slice(colon + 1).trim()]
}

/** key=value is text; key:=value is JSON. */
export function readLabel(given: string): [string, string | number | boolean | null] {
  const equals = given.indexOf('=')
  const isJson = given[equals - 1] === ':'
  const key = given.slice(0, isJson ? equals - 1 : equals)
  if (equals < 1 || key === '')
    throw new UsageError(`--metadata ${given}: write key=value, or key:=3 for a number or boolean.`)
  const value = given.slice(equals + 1)
  if (!isJson) return [key, value]
  const parsed = readJson(value, `--metadata ${given}`)
  if (typeof parsed === 'object' && parsed !== null) {
    throw new UsageError(`--metadata ${given}: a value is a text, a number, true, false or null.`)
  }
  return [key, parsed as string | number | boolean | null]
}

export async function readPayload(given: string): Promise<unknown> {
  if (given === '-') return readJson(await text(process.stdin), 'The payload on standard input')
  if (given.startsWith('@')) return readJson(await readFile(given.slice(1), 'utf8'), `The payload in ${given.slice(1)}`)
  return readJson(given, '--payload')
}

/** Numbers keep the digits they were written with: 1.0 and 12345678901234567890 arrive as they are. */
function readJson(json: string, what: string): unknown {
  try {
    return JSON.parse(json, (_key, value: unknown, context?: { readonly source?: string }) => {
      const source = context?.source
      return typeof value === 'number' && source !== undefined && source !== String(value)
        ? rawJson.rawJSON(source)
        : value
    })
  } catch (error) {
    throw new UsageError(`${what} is not JSON: ${(error as Error).message}. A text is written in quotes: '"hello"'`, {
      cause: error,
    })
  }
}

const rawJson = JSON as unknown as { rawJSON(text: string): unknown }
