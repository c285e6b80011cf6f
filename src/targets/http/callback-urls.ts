// The parts of a callback URL that a delivery needs. A URL is asked for when its timer comes due and again when it is sent, and
// many timers call the same one: those parsed last are remembered.

export type CallbackUrl = {
  /** Host and port: what shares a fate. */
  readonly host: string
  readonly hostname: string
  readonly origin: string
  readonly path: string
  /** Of a user and password in the URL; null without. */
  readonly authorization: string | null
}

const REMEMBERED_MAX = 1_000 // about 1 MB with the longest URLs

const remembered = new Map<string, CallbackUrl | null>()

/** Null when it is not an http or https URL. */
export function callbackUrl(text: string): CallbackUrl | null {
  const known = remembered.get(text)
  if (known !== undefined) return known
  if (remembered.size >= REMEMBERED_MAX) remembered.clear()
  const parsed = parse(text)
  remembered.set(text, parsed)
  return parsed
}

function parse(text: string): CallbackUrl | null {
  const url = URL.parse(text)
  if (url === null || !url.protocol.startsWith('http')) return null
  return {
    host: url.host,
    hostname: url.hostname,
    origin: url.origin,
    path: url.pathname + url.search,
    authorization: url.username === '' && url.password === '' ? null : basicAuthorization(url),
  }
}

function basicAuthorization(url: URL): string {
  const credentials = `${percentDecoded(url.username)}:${percentDecoded(url.password)}`
  return `Basic ${Buffer.from(credentials).toString('base64')}`
}

/** A stray percent sign is legal in a URL's password and stands for itself. */
function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
