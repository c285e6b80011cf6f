// Certificates made on the spot, for tests of TLS: no key in the repository that a scanner would find or that would
// expire, and no openssl needed. Just enough DER to write X.509 v3 certificates.

import { createPrivateKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { isIPv4 } from 'node:net'

export type TestCertificate = { readonly key: string; readonly cert: string }

/** Vouches for itself. */
export function aCertificateFor(hostname: string): TestCertificate {
  return aCertificate({ name: hostname, extension: alternativeNames([hostname]), issuer: null })
}

/** An authority of the test's own, trusted by nobody who was not told so. */
export class TestAuthority {
  readonly #name: string
  readonly #own: TestCertificate

  constructor(name = 'an authority') {
    this.#name = name
    this.#own = aCertificate({
      name,
      extension: sequence(oid(BASIC_CONSTRAINTS), YES, der(OCTET_STRING, sequence(YES))),
      issuer: null,
    })
  }

  get cert(): string {
    return this.#own.cert
  }

  /** For host names and IPv4 addresses; the first is also the name of whoever shows it. */
  issue(...hosts: readonly [string, ...string[]]): TestCertificate {
    return aCertificate({
      name: hosts[0],
      extension: alternativeNames(hosts),
      issuer: { name: this.#name, key: this.#own.key },
    })
  }
}

type CertificateParts = {
  readonly name: string
  readonly extension: Buffer
  /** Null for itself. */
  readonly issuer: { readonly name: string; readonly key: string } | null
}

function aCertificate({ name, extension, issuer }: CertificateParts): TestCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const ecdsaWithSha256 = sequence(oid([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]))
  const content = sequence(
    der(CONTEXT_0, der(INTEGER, Buffer.of(2))), // version 3
    der(INTEGER, Buffer.concat([Buffer.of(1), randomBytes(8)])), // serial number
    ecdsaWithSha256,
    commonName(issuer?.name ?? name),
    sequence(
      der(GENERALIZED_TIME, Buffer.from('20200101000000Z')),
      der(GENERALIZED_TIME, Buffer.from('21200101000000Z')),
    ),
    commonName(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(CONTEXT_3, sequence(extension)),
  )
  const signature = der(
    BIT_STRING,
    Buffer.of(0),
    sign('sha256', content, issuer === null ? privateKey : createPrivateKey(issuer.key)),
  )
  const cert = sequence(content, ecdsaWithSha256, signature).toString('base64')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    cert: `-----BEGIN CERTIFICATE-----\n${cert.replaceAll(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  }
}

function commonName(name: string): Buffer {
  return sequence(der(SET, sequence(oid(COMMON_NAME), der(UTF8_STRING, Buffer.from(name)))))
}

function alternativeNames(hosts: readonly string[]): Buffer {
  const names = hosts.map((host) => {
    return isIPv4(host) ? der(IP_ADDRESS, Buffer.from(host.split('.').map(Number))) : der(DNS_NAME, Buffer.from(host))
  })
  return sequence(oid(SUBJECT_ALT_NAME), der(OCTET_STRING, sequence(...names)))
}

const BOOLEAN = 0x01
const INTEGER = 0x02
const BIT_STRING = 0x03
const OCTET_STRING = 0x04
const OBJECT_IDENTIFIER = 0x06
const UTF8_STRING = 0x0c
const GENERALIZED_TIME = 0x18
const SEQUENCE = 0x30
const SET = 0x31
const DNS_NAME = 0x82
const IP_ADDRESS = 0x87
const CONTEXT_0 = 0xa0
const CONTEXT_3 = 0xa3
const COMMON_NAME = [0x55, 0x04, 0x03]
const SUBJECT_ALT_NAME = [0x55, 0x1d, 0x11]
const BASIC_CONSTRAINTS = [0x55, 0x1d, 0x13]
const YES = der(BOOLEAN, Buffer.of(0xff))

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length: bytes } = content
  // As short as possible, which strict readers insist on.
  const length = bytes < 128 ? [bytes] : bytes < 256 ? [0x81, bytes] : [0x82, bytes >> 8, bytes & 0xff]
  return Buffer.concat([Buffer.of(tag, ...length), content])
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(SEQUENCE, ...parts)
}

function oid(bytes: readonly number[]): Buffer {
  return der(OBJECT_IDENTIFIER, Buffer.from(bytes))
}
