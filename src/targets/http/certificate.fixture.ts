// A self-signed certificate made on the spot, for tests of TLS: no key in the repository that a scanner would
// find or that would expire, and no openssl needed. Just enough DER to write one X.509 v3 certificate.

import { generateKeyPairSync, sign } from 'node:crypto'

export type TestCertificate = { readonly key: string; readonly cert: string }

export function aCertificateFor(hostname: string): TestCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const ecdsaWithSha256 = sequence(oid([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]))
  const name = sequence(der(SET, sequence(oid(COMMON_NAME), der(UTF8_STRING, Buffer.from(hostname)))))
  const alternativeNames = sequence(oid(SUBJECT_ALT_NAME), der(OCTET_STRING, sequence(der(DNS_NAME, Buffer.from(hostname)))))
  const content = sequence(
    der(CONTEXT_0, der(INTEGER, Buffer.of(2))), // version 3
    der(INTEGER, Buffer.of(1)), // serial number
    ecdsaWithSha256,
    name,
    sequence(der(GENERALIZED_TIME, Buffer.from('20200101000000Z')), der(GENERALIZED_TIME, Buffer.from('21200101000000Z'))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(CONTEXT_3, sequence(alternativeNames)),
  )
  const signature = der(BIT_STRING, Buffer.of(0), sign('sha256', content, privateKey))
  const cert = sequence(content, ecdsaWithSha256, signature).toString('base64')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    cert: `-----BEGIN CERTIFICATE-----\n${cert.replaceAll(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  }
}

const INTEGER = 0x02
const BIT_STRING = 0x03
const OCTET_STRING = 0x04
const OBJECT_IDENTIFIER = 0x06
const UTF8_STRING = 0x0c
const GENERALIZED_TIME = 0x18
const SEQUENCE = 0x30
const SET = 0x31
const DNS_NAME = 0x82
const CONTEXT_0 = 0xa0
const CONTEXT_3 = 0xa3
const COMMON_NAME = [0x55, 0x04, 0x03]
const SUBJECT_ALT_NAME = [0x55, 0x1d, 0x11]

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
