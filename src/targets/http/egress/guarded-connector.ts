// Opens connections for the HTTP target, to allowed addresses only. A name is resolved here, once, every address
// is judged, and the connection goes to a judged address: there is no second lookup that could answer something
// else (DNS rebinding). Literal addresses never see a resolver, so they are judged by themselves.

import { isIP } from 'node:net'
import type { buildConnector } from 'undici'
import type { Cancel, Clock } from '../../../runtime/clock/clock.ts'
import { buildConnector as connectorOf } from '../../../runtime/undici.ts'
import { unbracketed } from './egress.ts'
import type { EgressPolicy } from './egress.ts'
import { NameLookups } from './name-lookups.ts'
import type { Resolve } from './name-lookups.ts'

type Connector = buildConnector.connector
type Socket = NonNullable<Parameters<buildConnector.Callback>[1]>

export class EgressRefusedError extends Error {
  override readonly name = 'EgressRefusedError'
  readonly code = 'EGRESS_REFUSED'
}

const ADDRESSES_MAX = 8 // of one name; more would only prolong a failure
const NEXT_ADDRESS_AFTER_MS = 250 // what RFC 8305 (Happy Eyeballs) recommends before another address is tried beside a silent one
const CONNECT_TIMEOUT_MS = 10_000 // a connection that waits longer is lost; a delivery's own time limit may be shorter

export function guardedConnector(parts: {
  readonly policy: EgressPolicy
  readonly clock: Clock
  readonly resolve?: Resolve
  readonly connect?: Connector
}): Connector {
  const { policy, clock } = parts
  const lookups = new NameLookups(parts.resolve && { bySystem: parts.resolve, direct: parts.resolve })
  const resolve: Resolve = (hostname) => lookups.resolve(hostname)
  const connect = parts.connect ?? connectorOf({ allowH2: false, timeout: CONNECT_TIMEOUT_MS })

  return (options, callback) => {
    const hostname = unbracketed(options.hostname)
    allowedAddresses(policy, resolve, hostname).then(
      (addresses) => {
        // TLS verifies the name and not the address; without this it would see the address only.
        const servername = options.servername || (isIP(hostname) ? undefined : hostname)
        const open: OpenTo = (address, opened) =>
          connect({ ...options, hostname: address, ...(servername ? { servername } : {}) }, opened)
        connectToFirst({ addresses, open, clock }, callback)
      },
      (error: Error) => callback(error, null),
    )
  }
}

async function allowedAddresses(policy: EgressPolicy, resolve: Resolve, hostname: string): Promise<readonly string[]> {
  const isLiteral = isIP(hostname) !== 0
  const refusedName = isLiteral ? null : policy.checkName(hostname)
  if (refusedName !== null) throw new EgressRefusedError(refusedName)
  const addresses = isLiteral ? [hostname] : await resolve(hostname)
  const allowed: string[] = []
  let firstReason: string | null = null
  for (const address of addresses) {
    const reason = isLiteral ? policy.checkAddress(address) : policy.checkAddress(address, hostname)
    if (reason === null) allowed.push(address)
    else firstReason ??= reason
  }
  if (allowed.length > 0) return allowed.slice(0, ADDRESSES_MAX)
  if (firstReason === null)
    throw Object.assign(new Error(`no address found for ${hostname}`), { code: 'ENOTFOUND', hostname })
  throw new EgressRefusedError(isLiteral ? firstReason : `${hostname} has no allowed address: ${firstReason}`)
}

type OpenTo = (address: string, callback: buildConnector.Callback) => void

/** Tries the addresses in order, the next one as soon as one fails or stays silent for a while; the first connection wins. */
function connectToFirst(
  race: { readonly addresses: readonly string[]; readonly open: OpenTo; readonly clock: Clock },
  callback: buildConnector.Callback,
): void {
  let started = 0
  let failed = 0
  let firstError: Error | null = null
  let isOver = false
  let cancelNext: Cancel = () => {}

  const startNext = () => {
    cancelNext()
    if (started === race.addresses.length) return
    const address = race.addresses[started++]!
    if (started < race.addresses.length) cancelNext = race.clock.after(NEXT_ADDRESS_AFTER_MS, startNext)
    race.open(address, (...[error, socket]: Parameters<buildConnector.Callback>) =>
      error ? onFailed(error) : onOpened(socket),
    )
  }
  const onFailed = (error: Error) => {
    firstError ??= error
    failed++
    if (isOver) return
    if (failed < race.addresses.length) return startNext()
    isOver = true
    callback(firstError, null)
  }
  const onOpened = (socket: Socket) => {
    if (isOver) return void socket.destroy()
    isOver = true
    cancelNext()
    callback(null, socket)
  }
  startNext()
}
