// Users of a NATS server that come with a credentials file: an operator vouches for an account and the account for its
// users, each by a signed token. The server knows the operator and the accounts, and no user.

import { randomUUID } from 'node:crypto'
import { nkeys } from '@nats-io/transport-node'

export class NatsAccounts {
  readonly #operator = nkeys.createOperator()
  readonly #system = nkeys.createAccount()
  readonly #account = nkeys.createAccount()

  /** For the configuration file of the server. */
  get config(): string {
    const preloaded = [this.#system, this.#account].map((one) => `${one.getPublicKey()}: ${this.#vouchedAccount(one)}`)
    const claims = { sub: this.#operator.getPublicKey(), name: 'operator', nats: { type: 'operator', version: 2 } }
    return [
      `operator: ${signed(this.#operator, claims)}`,
      `system_account: ${this.#system.getPublicKey()}`,
      'resolver: MEMORY',
      `resolver_preload: { ${preloaded.join(', ')} }`,
    ].join('\n')
  }

  /** A credentials file for a new user. One of another instance looks the same, and is good for nothing here. */
  credentials(): string {
    const user = nkeys.createUser()
    const nats = { type: 'user', version: 2, pub: {}, sub: {}, subs: -1, data: -1, payload: -1 }
    const token = signed(this.#account, { sub: user.getPublicKey(), name: 'duetime', nats })
    const seed = new TextDecoder().decode(user.getSeed())
    return [
      '-----BEGIN NATS USER JWT-----',
      token,
      '------END NATS USER JWT------',
      '',
      '-----BEGIN USER NKEY SEED-----',
      seed,
      '------END USER NKEY SEED------',
      '',
    ].join('\n')
  }

  #vouchedAccount(account: nkeys.KeyPair): string {
    const connections = {
      subs: -1,
      data: -1,
      payload: -1,
      imports: -1,
      exports: -1,
      wildcards: true,
      conn: -1,
      leaf: -1,
    }
    // The system account may not have streams.
    const storage = account === this.#system ? {} : { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 }
    const nats = { type: 'account', version: 2, limits: { ...connections, ...storage } }
    return signed(this.#operator, {
      sub: account.getPublicKey(),
      name: account === this.#system ? 'system' : 'timers',
      nats,
    })
  }
}

function signed(issuer: nkeys.KeyPair, claims: Readonly<Record<string, unknown>>): string {
  const issuedAt = Math.floor(Date.now() / 1_000)
  const body = { jti: randomUUID(), iat: issuedAt, iss: issuer.getPublicKey(), ...claims }
  const content = `${base64url({ typ: 'JWT', alg: 'ed25519-nkey' })}.${base64url(body)}`
  return `${content}.${Buffer.from(issuer.sign(Buffer.from(content))).toString('base64url')}`
}

function base64url(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
