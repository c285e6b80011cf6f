// What kind of place an IP address is, seen from a server that calls addresses chosen by others. An IPv6 address
// can carry an IPv4 address inside (mapped, translated, tunnelled); a gateway on the way would deliver to that
// one, so both are looked at.

import ipaddr from 'ipaddr.js'

export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6
export type Cidr = readonly [IpAddress, number]

/** `forbidden` places are never called, whatever the configuration says. */
export type AddressKind = 'public' | 'loopback' | 'private' | 'forbidden'

/** Metadata services that hand out credentials and do not live in a link-local or reserved range. */
const METADATA_ADDRESSES: readonly string[] = [
  '100.100.100.200', // Alibaba Cloud
  '168.63.129.16', // Azure
  'fd00:ec2::254', // AWS
  'fd20:ce::254', // Google Cloud
  'fd00:42::42', // Scaleway
]
// Translated by a gateway of the network's own, which alone knows where in it the IPv4 address is.
const LOCAL_NAT64: [InstanceType<typeof ipaddr.IPv6>, number] = [ipaddr.IPv6.parse('64:ff9b:1::'), 48]
const METADATA = METADATA_ADDRESSES.map((text) => ipaddr.parse(text))

const KIND_BY_RANGE: Readonly<Record<string, AddressKind>> = {
  unicast: 'public',
  as112: 'public',
  as112v6: 'public',
  amt: 'public',
  loopback: 'loopback',
  private: 'private',
  carrierGradeNat: 'private',
  uniqueLocal: 'private',
  // These carry an IPv4 address, and it is the carried one that tells: see `facesOf`.
  ipv4Mapped: 'public',
  rfc6145: 'public',
  rfc6052: 'public',
  '6to4': 'public',
  teredo: 'public',
}

const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3')
const IPV4_COMPATIBLE = ipaddr.parseCIDR('::/96')

/** The address and every IPv4 address inside it. A rule about an address must hold for all of them. */
export function facesOf(address: IpAddress): readonly IpAddress[] {
  return address instanceof ipaddr.IPv6 ? [address, ...embeddedIPv4(address)] : [address]
}

/** What the address says by itself, without what is embedded in it. Ranges that nobody is known to need are forbidden. */
export function kindOf(address: IpAddress): AddressKind {
  if (address instanceof ipaddr.IPv6 && address.match(LOCAL_NAT64)) return 'forbidden'
  if (METADATA.some((metadata) => isWithin(address, [metadata, metadata.toByteArray().length * 8]))) return 'forbidden'
  const range = address.range()
  if (address instanceof ipaddr.IPv6 && range === 'unicast') {
    return address.match(GLOBAL_UNICAST) || address.match(IPV4_COMPATIBLE) ? 'public' : 'forbidden'
  }
  return KIND_BY_RANGE[range] ?? 'forbidden'
}

export function isWithin(address: IpAddress, [network, bits]: Cidr): boolean {
  return address.kind() === network.kind() && address.match(network, bits)
}

function embeddedIPv4(address: ipaddr.IPv6): ipaddr.IPv4[] {
  const bytes = address.toByteArray()
  const at = (offset: number) => new ipaddr.IPv4(bytes.slice(offset, offset + 4))
  const range = address.range()
  if (range === '6to4') return [at(2)]
  // The relay's address, and the client's with its bits inverted.
  if (range === 'teredo') return [at(4), new ipaddr.IPv4(bytes.slice(12).map((byte) => byte ^ 0xff))]
  if (range === 'ipv4Mapped' || range === 'rfc6145' || range === 'rfc6052') return [at(12)]
  if (range === 'unicast' && address.match(IPV4_COMPATIBLE)) return [at(12)]
  return []
}
