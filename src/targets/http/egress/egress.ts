// Which addresses callbacks may reach. Whoever can create a timer chooses the URL, so without this guard the
// service would call the inside of its own network, or a metadata service, for anybody. The policy judges
// addresses and names; `guarded-connector.ts` asks it on every connection.

import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { facesOf, isWithin, kindOf } from './address.ts'
import type { AddressKind, Cidr, IpAddress } from './address.ts'

export type EgressSettings = {
  /** CALLBACK_ALLOW and CALLBACK_DENY: CIDRs, addresses, host names, `*.example.com`, and the words `loopback` and `private`. */
  readonly allow: readonly string[]
  readonly deny: readonly string[]
  /** What holds for these two kinds of address when no list names them. */
  readonly loopbackAllowed: boolean
  readonly privateAllowed: boolean
}

/** Each check gives null, or the reason for the refusal in words that say which setting is behind it. */
export interface EgressPolicy {
  /** At create time: literal addresses in any spelling, and names that are denied by name. Nothing is looked up. */
  checkUrl(url: string | URL): string | null
  checkName(hostname: string): string | null
  /** At connect time; `hostname` is the name that was resolved to this address, if there was one. */
  checkAddress(address: string, hostname?: string): string | null
}

export function createEgressPolicy(settings: EgressSettings): EgressPolicy {
  const allow = settings.allow.map((entry) => parseRule(entry, 'CALLBACK_ALLOW'))
  const deny = settings.deny.map((entry) => parseRule(entry, 'CALLBACK_DENY'))
  const allowedKinds: Readonly<Record<AddressKind, boolean>> = {
    public: true,
    loopback: settings.loopbackAllowed,
    private: settings.privateAllowed,
    forbidden: false,
  }

  const checkName = (hostname: string): string | null => {
    const name = bareName(hostname)
    const rule = deny.find((candidate) => candidate.matchesName(name))
    return rule ? `${name} is denied by '${rule.text}' in CALLBACK_DENY` : null
  }

  const checkFace = (face: IpAddress, name: string | null): string | null => {
    const kind = kindOf(face)
    if (kind === 'forbidden') {
      return `${face.toString()} is a metadata, link-local or reserved address, which callbacks can never reach`
    }
    const denied = deny.find((rule) => rule.matchesAddress(face, kind))
    if (denied) return `${face.toString()} is denied by '${denied.text}' in CALLBACK_DENY`
    if (allowedKinds[kind]) return null
    if (allow.some((rule) => rule.matchesAddress(face, kind) || (name !== null && rule.matchesName(name)))) return null
    return (
      `${face.toString()} is a ${kind} address: callbacks reach it only if CALLBACK_ALLOW has '${kind}', ` +
      `its host name, or a range that covers it`
    )
  }

  const checkAddress = (text: string, hostname?: string): string | null => {
    if (!ipaddr.isValid(text)) return `'${text}' is not an IP address`
    const name = hostname === undefined ? null : bareName(hostname)
    for (const face of facesOf(ipaddr.parse(text))) {
      const reason = checkFace(face, name)
      if (reason !== null) return reason
    }
    return null
  }

  // The verdict on a URL never changes, and most timers go to a few of them.
  const verdicts = new Map<string, string | null>()

  const checkUrl = (url: string | URL): string | null => {
    const text = String(url)
    let verdict = verdicts.get(text)
    if (verdict === undefined) {
      if (verdicts.size >= VERDICTS_KEPT) verdicts.clear()
      verdicts.set(text, (verdict = judgeUrl(text)))
    }
    return verdict
  }

  const judgeUrl = (url: string): string | null => {
    const parsed = URL.parse(url)
    // The URL parser has turned every spelling of an IPv4 address (decimal, octal, hex, short) into the dotted one.
    if (parsed === null || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:'))
      return 'not an http or https URL'
    const hostname = unbracketed(parsed.hostname)
    return isIP(hostname) ? checkAddress(hostname) : checkName(hostname)
  }

  return { checkUrl, checkName, checkAddress }
}

type Rule = {
  readonly text: string
  matchesAddress(address: IpAddress, kind: AddressKind): boolean
  matchesName(name: string): boolean
}

const HOST_NAME = /^(?:\*\.)?(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?$/
// What getaddrinfo would still read as an address, such as 127.1 or 0x7f000001: as a rule it would be a name that matches nothing.
const NUMERIC_NAME = /(?:^|\.)(?:\d+|0x[0-9a-f]*)$/
const never = () => false
const VERDICTS_KEPT = 500

function parseRule(entry: string, setting: string): Rule {
  const text = entry.trim().toLowerCase()
  if (text === 'loopback' || text === 'private')
    return { text, matchesAddress: (_, kind) => kind === text, matchesName: never }
  const cidr = parseCidr(text)
  if (cidr) return { text, matchesAddress: (address) => isWithin(address, cidr), matchesName: never }
  const name = bareName(text)
  if (!HOST_NAME.test(name) || NUMERIC_NAME.test(name)) {
    throw new Error(
      `${setting}: '${entry}' is not understood. Expected an address (10.1.2.3), a CIDR range (10.0.0.0/8, fd00::/8), ` +
        `a host name (hooks.example.com, *.example.com), or one of the words loopback, private`,
    )
  }
  // `*.example.com` covers every name below example.com, and not example.com itself.
  const matchesName = name.startsWith('*.')
    ? (host: string) => host.endsWith(name.slice(1))
    : (host: string) => host === name
  return { text, matchesAddress: never, matchesName }
}

function parseCidr(text: string): Cidr | null {
  const [address = '', prefix, ...rest] = text.split('/')
  const bare = unbracketed(address)
  const family = isIP(bare)
  if (family === 0 || rest.length > 0) return null
  const bitsMax = family === 4 ? 32 : 128
  if (prefix !== undefined && !/^\d{1,3}$/.test(prefix)) return null
  const bits = prefix === undefined ? bitsMax : Number(prefix)
  return bits <= bitsMax ? [ipaddr.parse(bare), bits] : null
}

export function unbracketed(hostname: string): string {
  return hostname.startsWith('[') && hostname.endsWith(']') ? hostname.slice(1, -1) : hostname
}

function bareName(hostname: string): string {
  const name = hostname.toLowerCase()
  return name.endsWith('.') ? name.slice(0, -1) : name
}
