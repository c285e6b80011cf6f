// Where other machines can reach a server that listens on every address: by the machine's first address that is not
// loopback. A guess that is right on most machines; NODE_URL says it where it is not.

import { networkInterfaces } from 'node:os'
import type { NetworkInterfaceInfo } from 'node:os'

const EVERY_ADDRESS = ['0.0.0.0', '::', '[::]']

/** `url` is what the server says it listens on, `host` what it was told to listen on. */
export function ownUrl(url: string, host: string, interfaces = networkInterfaces()): string {
  if (url === '' || !EVERY_ADDRESS.includes(host)) return url
  const address = outsideAddress(Object.values(interfaces).flatMap((addresses) => addresses ?? []))
  if (address === undefined) return url
  return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${new URL(url).port || '80'}`
}

/** IPv4 first: link-local IPv6 addresses mean something else on every machine. */
function outsideAddress(addresses: readonly NetworkInterfaceInfo[]): NetworkInterfaceInfo | undefined {
  const outside = addresses.filter(({ internal, address }) => !internal && !address.startsWith('fe80'))
  return outside.find(({ family }) => family === 'IPv4') ?? outside[0]
}
