// Values that name a place: the database, the address to listen on, where callbacks may go, and the
// namespaces and secrets that go with them. Checked when the service starts, so that a slip in a setting is
// one clear message then and not a failed delivery weeks later.

import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { DuetimeError } from '../../core/errors.ts'
import { parseLabel } from '../../core/cluster/layout.ts'
import { parseNamespace } from '../../core/timer/ids.ts'
import { API_KEY_CHARS_MAX, API_KEY_CHARS_MIN, URL_CHARS_MAX } from '../../core/limits.ts'
import type { Namespace } from '../../core/timer/timer.ts'
import type { ValueType } from './values.ts'
import { DATABASE_FORMS, parseDatabaseUrl } from './databases/databases.ts'
import type { DatabaseLocation } from './databases/databases.ts'
import { parseSqlitePath } from './databases/sqlite.ts'

export function databaseUrl(): ValueType<DatabaseLocation> {
  return {
    describes: `one of ${DATABASE_FORMS.map((form) => `\`${form}\``).join(', ')}`,
    placeholder: 'url',
    parse: parseDatabaseUrl,
  }
}

export function sqlitePath(): ValueType<string> {
  return { describes: 'path to a file', placeholder: 'path', parse: parseSqlitePath }
}

export function hostName(): ValueType<string> {
  return {
    describes: 'address or host name',
    placeholder: 'address',
    parse: (text) => {
      const bare = text.replace(/^\[(.*)\]$/, '$1')
      if (isIP(bare) === 0 && !isHostName(bare)) {
        throw new RangeError('an IP address or host name without scheme and port, such as 127.0.0.1')
      }
      return bare
    },
  }
}

export function isLoopback(host: string): boolean {
  if (host.toLowerCase() === 'localhost') return true
  return isIP(host) !== 0 && ipaddr.process(host).range() === 'loopback'
}

function isHostName(text: string): boolean {
  // A last label of digits only would be read as a malformed IPv4 address by every resolver.
  return (
    text.length <= 253 && /^(?!.*\.\d+$)(?!\d+$)[a-z0-9_]([a-z0-9_.-]*[a-z0-9])?$/i.test(text) && !text.includes('..')
  )
}

/** One entry of CALLBACK_ALLOW or CALLBACK_DENY; the egress check gives it its meaning. */
export function egressRule(): ValueType<string> {
  return {
    describes: 'address, CIDR range, host name (`*.example.com` for those below it), `loopback` or `private`',
    placeholder: 'rule',
    parse: (text) => {
      const [address = '', bits] = text.split('/')
      // ipaddr.js alone would take `10/8` and `0x7f.1`, which no two programs read alike.
      const valid =
        bits === undefined
          ? isIP(text) !== 0 || isHostName(text.replace(/^\*\./, ''))
          : isIP(address) !== 0 && ipaddr.isValidCIDR(text)
      if (!valid)
        throw new RangeError(
          'an address, a CIDR range, a host name or `*.name` without scheme and port, `loopback` or `private`',
        )
      return text.toLowerCase()
    },
  }
}

export function httpUrl(): ValueType<string> {
  return {
    describes: 'http or https URL',
    placeholder: 'url',
    parse: (text) => {
      const url = text.length <= URL_CHARS_MAX ? URL.parse(text) : null
      if (url === null || !['http:', 'https:'].includes(url.protocol)) {
        throw new RangeError(`an absolute http or https URL of up to ${URL_CHARS_MAX} characters`)
      }
      return text
    },
  }
}

export function nodeLabel(): ValueType<string> {
  return { describes: 'label', placeholder: 'label', parse: parsed(parseLabel) }
}

export function namespaceName(): ValueType<Namespace> {
  return {
    describes: 'namespace',
    placeholder: 'namespace',
    parse: parsed(parseNamespace),
  }
}

/** With the sentence of core as that of a setting. */
function parsed<T>(parse: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return parse(text)
    } catch (error) {
      if (!(error instanceof DuetimeError)) throw error
      const sentence = error.message.replace(/^(.*?) must be (.*?), and start /, 'a $1: $2, starting ')
      throw new RangeError(sentence, { cause: error })
    }
  }
}

export function apiKey(): ValueType<string> {
  return {
    describes: `at least ${API_KEY_CHARS_MIN} characters`,
    placeholder: 'key',
    parse: (text) => {
      // What a header can carry, so that the key can be sent at all.
      if (!/^[\x21-\x7e]*$/.test(text) || text.length < API_KEY_CHARS_MIN || text.length > API_KEY_CHARS_MAX) {
        throw new RangeError(
          `${API_KEY_CHARS_MIN} to ${API_KEY_CHARS_MAX} printable characters without spaces, and random, since whoever guesses it may do ` +
            'everything: `openssl rand -base64 32` makes one',
        )
      }
      return text
    },
  }
}

// What the Standard Webhooks specification asks of a signing secret.
const SECRET_BYTES_MIN = 24
const SECRET_BYTES_MAX = 64

export function webhookSecret(): ValueType<string> {
  return {
    describes: '`whsec_` and base64',
    placeholder: 'secret',
    parse: (text) => {
      const base64 = text.replace(/^whsec_/, '')
      const bytes = /^[A-Za-z0-9+/]+={0,2}$/.test(base64) ? Buffer.from(base64, 'base64').length : 0
      if (bytes < SECRET_BYTES_MIN || bytes > SECRET_BYTES_MAX) {
        throw new RangeError(
          `\`whsec_\` and ${SECRET_BYTES_MIN} to ${SECRET_BYTES_MAX} random bytes in base64: ` +
            'echo "whsec_$(openssl rand -base64 32)" makes one',
        )
      }
      return text
    },
  }
}
