// The HTTP target that the settings describe, and where they let it go.

import type { Clock } from '../../runtime/clock/clock.ts'
import type { Config } from '../../runtime/config/config.ts'
import { VERSION } from '../../runtime/version.ts'
import { createEgressPolicy } from './egress/egress.ts'
import type { EgressPolicy } from './egress/egress.ts'
import { HttpTarget } from './http-target.ts'
import type { HttpProtocol } from './protocol.ts'

type Parts = { readonly config: Config; readonly clock: Clock }

export function buildHttpTarget({ config, clock }: Parts, protocols: readonly HttpProtocol[]): HttpTarget {
  return new HttpTarget({
    protocols,
    egress: egressFor(config),
    clock,
    signingSecrets: config.webhookSecrets,
    userAgent: `duetime/${VERSION}`,
    // The engine bounds what is under way to a host, for each tenant; whoever waited for a connection would wait for other tenants, too.
    connectionsPerHost: config.deliveriesMax,
  })
}

function egressFor(config: Config): EgressPolicy {
  return createEgressPolicy({
    allow: config.callbackAllow,
    deny: config.callbackDeny,
    loopbackAllowed: config.loopbackOnly,
    privateAllowed: config.loopbackOnly,
  })
}
