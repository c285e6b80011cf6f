// A page on the web can point a name of its own at 127.0.0.1 and then talk to this service from the visitor's browser,
// which takes it for the page's own site. While no key is asked for and only this machine is served, names that the
// outside could own are therefore refused: honest clients say localhost, an address, or a name without dots.

import { isIP } from 'node:net'

/** Ends of names that nobody can register. Containers know their host by one of them. */
const OWN_NAMES = ['.localhost', '.internal']

/** Clients say the same few names with every request. */
const verdicts = new Map<string, boolean>()
const VERDICTS_KEPT = 100

/** `host` is the Host header, with or without a port. */
export function couldBeRebound(host: string): boolean {
  let verdict = verdicts.get(host)
  if (verdict === undefined) {
    if (verdicts.size >= VERDICTS_KEPT) verdicts.clear()
    verdicts.set(host, (verdict = isOutsideName(host)))
  }
  return verdict
}

function isOutsideName(host: string): boolean {
  const name = host.replace(/:\d*$/, '').toLowerCase().replace(/\.$/, '')
  const isAddress = isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0
  return !isAddress && name.includes('.') && !OWN_NAMES.some((end) => name.endsWith(end))
}
