// Where the message broker is and how it is spoken to. Three ways to say where are in use, by the name that each kind of
// deployment knows; they come down to one value.

import { isIP } from 'node:net'
import { LifecycleEventType } from '../../core/events/lifecycle-event.ts'
import { subjectPatternFault } from '../../core/timer/subject.ts'
import type { ValueType } from './values.ts'

export type BrokerSettings = {
  /** `host:port`, without credentials. */
  readonly servers: readonly string[]
  readonly user: string | null
  readonly password: string | null
  readonly token: string | null
  readonly credentialsFile: string | null
  /** Null: the broker's own wish decides whether the connection is encrypted. */
  readonly tls: {
    readonly caFile: string | null
    readonly certFile: string | null
    readonly keyFile: string | null
  } | null
}

/** What a URL says. */
export type BrokerLocation = Pick<BrokerSettings, 'servers' | 'user' | 'password' | 'token'> & {
  readonly isTls: boolean
}

const FORMS =
  'nats://host:4222 or tls://host:4222, several separated by commas, with user:password@ or token@ before the host if needed'
const DEFAULT_PORT = '4222'

export function brokerUrl(): ValueType<BrokerLocation> {
  return {
    describes: '`nats://host:port` or `tls://host:port`, several separated by commas',
    placeholder: 'url',
    parse: (text) => {
      const urls = text.split(',').map((one) => parseUrl(one.trim()))
      const [first] = urls
      if (
        urls.some(
          (url) =>
            url.username !== first!.username || url.password !== first!.password || url.protocol !== first!.protocol,
        )
      ) {
        throw new RangeError('a list of URLs with the same scheme and credentials')
      }
      const [user, password] = [decodeURIComponent(first!.username), decodeURIComponent(first!.password)]
      const isToken = user !== '' && password === ''
      return {
        servers: urls.map((url) => `${url.hostname}:${url.port === '' ? DEFAULT_PORT : url.port}`),
        user: isToken || user === '' ? null : user,
        password: password === '' ? null : password,
        token: isToken ? user : null,
        isTls: first!.protocol === 'tls:',
      }
    },
  }
}

function parseUrl(text: string): URL {
  const url = URL.parse(text.includes('://') ? text : `nats://${text}`)
  const isPlain = url !== null && url.search === '' && url.hash === '' && ['', '/'].includes(url.pathname)
  if (!isPlain || url.hostname === '' || !['nats:', 'tls:'].includes(url.protocol)) {
    throw new RangeError(`the URL of a NATS server: ${FORMS}`)
  }
  return url
}

/** A subject that messages are published on and taken from: words joined by dots. */
export function subjectName(): ValueType<string> {
  return {
    describes: 'subject',
    placeholder: 'subject',
    parse: (text) => {
      if (!/^[\w-]+(?:\.[\w-]+)*$/.test(text))
        throw new RangeError('a subject: words of letters, digits, - and _, joined by dots')
      return text
    },
  }
}

export const SubjectPlaceholder = { namespace: '{namespace}', event: '{event}' } as const

/** A subject in which some words stand for what is different from message to message. */
export function subjectTemplate(): ValueType<string> {
  const placeholders = Object.values(SubjectPlaceholder)
  return {
    describes: `subject, with ${placeholders.map((one) => `\`${one}\``).join(' and ')} as words`,
    placeholder: 'subject',
    parse: (text) => {
      const isWord = (word: string) => /^[\w-]+$/.test(word) || placeholders.some((one) => one === word)
      if (!text.split('.').every(isWord)) {
        throw new RangeError(
          `a subject: words of letters, digits, - and _, or ${placeholders.join(' or ')}, joined by dots`,
        )
      }
      return text
    },
  }
}

/** Subjects by their words: `*` is one of them, `>` at the end one or more. */
export function subjectPattern(): ValueType<string> {
  return {
    describes: 'subject with `*` or `>` as words',
    placeholder: 'subject',
    parse: (text) => {
      const fault = subjectPatternFault(text)
      if (fault !== null) throw new RangeError(`subjects: each ${fault}`)
      return text
    },
  }
}

/** `off`, `on`, or the kinds of events; none for off. */
export function lifecycleEventTypes(): ValueType<readonly LifecycleEventType[]> {
  const all = Object.values(LifecycleEventType)
  const describes = `\`off\`, \`on\`, or a list of ${all.map((one) => `\`${one}\``).join(', ')}`
  return {
    describes,
    placeholder: 'list',
    parse: (text) => {
      const words = text
        .toLowerCase()
        .split(',')
        .map((one) => one.trim())
      if (words.length === 1 && ['off', 'false'].includes(words[0]!)) return []
      if (words.length === 1 && ['on', 'true'].includes(words[0]!)) return all
      const unknown = words.find((word) => !all.some((one) => one === word))
      if (unknown !== undefined) throw new RangeError(describes.replaceAll('`', ''))
      return all.filter((one) => words.includes(one))
    },
  }
}

/** Names of streams and consumers. */
export function brokerName(): ValueType<string> {
  return {
    describes: 'name',
    placeholder: 'name',
    parse: (text) => {
      if (!/^[\w-]{1,64}$/.test(text)) throw new RangeError('a name of up to 64 letters, digits, - and _')
      return text
    },
  }
}

export function filePath(): ValueType<string> {
  return { describes: 'path to a file', placeholder: 'path', parse: (text) => text }
}

export function plainText(placeholder: string): ValueType<string> {
  return { describes: 'text', placeholder, parse: (text) => text }
}

/** The settings that say where and how, as they were read. */
export type BrokerValues = {
  readonly brokerUrl: BrokerLocation | null
  readonly natsUrl: BrokerLocation | null
  readonly natsHost: string | null
  readonly natsPort: number
  readonly natsUser: string | null
  readonly natsPassword: string | null
  readonly natsToken: string | null
  readonly natsCredentialsFile: string | null
  readonly natsTls: boolean
  readonly natsTlsCaFile: string | null
  readonly natsTlsCertFile: string | null
  readonly natsTlsKeyFile: string | null
}

/** Null when no broker is configured. */
export function brokerSettings(values: BrokerValues): BrokerSettings | null {
  const url = values.brokerUrl ?? values.natsUrl ?? fromHost(values)
  if (url === null) return null
  const [caFile, certFile, keyFile] = [values.natsTlsCaFile, values.natsTlsCertFile, values.natsTlsKeyFile]
  const isTls = url.isTls || values.natsTls || caFile !== null || certFile !== null
  return {
    servers: url.servers,
    user: values.natsUser ?? url.user,
    password: values.natsPassword ?? url.password,
    token: values.natsToken ?? url.token,
    credentialsFile: values.natsCredentialsFile,
    tls: isTls ? { caFile, certFile, keyFile } : null,
  }
}

function fromHost({ natsHost, natsPort }: BrokerValues): BrokerLocation | null {
  if (natsHost === null) return null
  const host = isIP(natsHost) === 6 ? `[${natsHost}]` : natsHost
  return { servers: [`${host}:${natsPort}`], user: null, password: null, token: null, isTls: false }
}

const CREDENTIALS = ['natsUser', 'natsPassword', 'natsToken', 'natsCredentialsFile'] as const
const CERTIFICATES = ['natsTlsCaFile', 'natsTlsCertFile', 'natsTlsKeyFile'] as const

/** What is right by itself and wrong together. `given` says how each setting was written. */
export function brokerConflicts(values: BrokerValues, given: ReadonlyMap<string, string>): string[] {
  const problems: string[] = []
  const places = ['brokerUrl', 'natsUrl', 'natsHost'].filter((key) => given.has(key)).map((key) => given.get(key)!)
  if (places.length > 1) problems.push(`${places.join(' and ')}: each says where the broker is. Set one of them.`)
  const details = [...CREDENTIALS, ...CERTIFICATES].find((key) => given.has(key))
  if (places.length === 0 && details !== undefined) {
    problems.push(
      `${given.get(details)}: says how to speak to a broker, and nothing says where it is. Set NATS_URL or NATS_HOST.`,
    )
  }
  if (values.natsPassword !== null && values.natsUser === null)
    problems.push(`${given.get('natsPassword')}: needs NATS_USER.`)
  if ((values.natsTlsCertFile === null) !== (values.natsTlsKeyFile === null)) {
    problems.push(
      `${given.get('natsTlsCertFile') ?? given.get('natsTlsKeyFile')}: NATS_TLS_CERT and NATS_TLS_KEY go together.`,
    )
  }
  return problems
}
