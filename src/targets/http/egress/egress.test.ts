import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createEgressPolicy } from './egress.ts'
import type { EgressSettings } from './egress.ts'

function aPolicy(settings: Partial<EgressSettings> = {}) {
  return createEgressPolicy({ allow: [], deny: [], loopbackAllowed: false, privateAllowed: false, ...settings })
}

const OPEN: EgressSettings = {
  allow: ['loopback', 'private', '0.0.0.0/0', '::/0'],
  deny: [],
  loopbackAllowed: true,
  privateAllowed: true,
}

const NEVER = [
  '169.254.169.254',
  '169.254.0.1',
  'fe80::1',
  'fe80::1%eth0',
  'fd00:ec2::254',
  'fd20:ce::254',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  '0.0.0.0',
  '0.1.2.3',
  '::',
  '224.0.0.1',
  '239.255.255.255',
  'ff02::1',
  '255.255.255.255',
  '240.0.0.1',
  '192.0.2.1',
  '2001:db8::1',
  'fec0::1',
  '100::1',
  '5f00::1',
  '4000::1',
  // The metadata address inside an IPv6 address: mapped, compatible, translated, NAT64,
  '::ffff:169.254.169.254',
  '::169.254.169.254',
  '::ffff:0:169.254.169.254',
  '64:ff9b::169.254.169.254',
  '64:ff9b:1::a9fe:a9fe',
  '64:ff9b:1:a9fe:a9:fe00:808:808',
  // 6to4, and Teredo as server and as client, the latter with its bits inverted.
  '2002:a9fe:a9fe::1',
  '2001:0:a9fe:a9fe::1',
  '2001:0:808:808::5601:5601',
]
const LOOPBACK = [
  '127.0.0.1',
  '127.255.0.9',
  '::1',
  '::ffff:127.0.0.1',
  '::127.0.0.1',
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
  '2001:0:808:808::80ff:fffe',
]
const PRIVATE = [
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '100.64.0.1',
  'fc00::1',
  'fd12:3456::1',
  '::ffff:10.1.2.3',
  '2002:a01:203::1',
]
const PUBLIC = [
  '8.8.8.8',
  '172.32.0.1',
  '100.128.0.1',
  '192.175.48.1',
  '2606:4700::1111',
  '::ffff:8.8.8.8',
  '64:ff9b::808:808',
  '2002:808:808::1',
]

test('metadata, link-local, multicast and reserved addresses are never reached, whatever is allowed', () => {
  const policy = createEgressPolicy(OPEN)
  for (const address of NEVER)
    assert.match(policy.checkAddress(address) ?? `${address} was let through`, /can never reach/)
  const named = aPolicy({ allow: ['metadata.internal'] })
  assert.match(named.checkAddress('169.254.169.254', 'metadata.internal') ?? '', /can never reach/)
})

test('loopback and private addresses are refused unless allowed, and the reason says by what', () => {
  const policy = aPolicy()
  const reasonFor = (address: string) => policy.checkAddress(address) ?? `${address} was let through`
  for (const address of LOOPBACK)
    assert.match(reasonFor(address), /is a loopback address: .*CALLBACK_ALLOW has 'loopback'/)
  for (const address of PRIVATE)
    assert.match(reasonFor(address), /is a private address: .*CALLBACK_ALLOW has 'private'/)
  for (const address of PUBLIC) assert.equal(policy.checkAddress(address), null, address)
})

test('each kind is allowed by its word, and by the default for it', () => {
  for (const policy of [aPolicy({ allow: ['loopback'] }), aPolicy({ loopbackAllowed: true })]) {
    for (const address of LOOPBACK) assert.equal(policy.checkAddress(address), null, address)
    for (const address of PRIVATE) assert.ok(policy.checkAddress(address), address)
  }
  for (const policy of [aPolicy({ allow: [' Private '] }), aPolicy({ privateAllowed: true })]) {
    for (const address of PRIVATE) assert.equal(policy.checkAddress(address), null, address)
    for (const address of LOOPBACK) assert.ok(policy.checkAddress(address), address)
  }
})

test('what is denied stays denied though it is allowed too', () => {
  const deny = ['10.0.0.0/8', '8.8.8.8', '2606:4700::/32', 'loopback', 'evil.example', '*.bad.example']
  const policy = createEgressPolicy({ ...OPEN, deny })
  assert.equal(policy.checkAddress('10.9.8.7'), "10.9.8.7 is denied by '10.0.0.0/8' in CALLBACK_DENY")
  for (const address of ['8.8.8.8', '::ffff:8.8.8.8', '64:ff9b::808:808', '2606:4700::1', '127.0.0.1', '::1']) {
    assert.match(policy.checkAddress(address) ?? address, /in CALLBACK_DENY$/)
  }
  assert.equal(policy.checkAddress('8.8.4.4'), null)
  for (const name of ['evil.example', 'EVIL.example.', 'a.bad.example', 'a.b.bad.example']) {
    assert.match(policy.checkName(name) ?? name, /in CALLBACK_DENY$/)
  }
  for (const name of ['bad.example', 'notbad.example', 'evil.example.org']) assert.equal(policy.checkName(name), null)
})

test('an allowed name may stand for a private address, and only under that name', () => {
  const policy = aPolicy({ allow: ['hooks.internal', '*.corp.example', '192.168.7.0/24'] })
  assert.equal(policy.checkAddress('10.0.0.1', 'hooks.internal'), null)
  assert.equal(policy.checkAddress('10.0.0.1', 'Hooks.Internal.'), null)
  assert.equal(policy.checkAddress('127.0.0.1', 'a.corp.example'), null)
  assert.equal(policy.checkAddress('192.168.7.9', 'other.example'), null)
  for (const name of ['corp.example', 'evilcorp.example', 'hooks.internal.example', undefined]) {
    assert.ok(policy.checkAddress('10.0.0.1', name), String(name))
  }
})

test('a literal address is found in a URL in any spelling', () => {
  const policy = aPolicy({ deny: ['evil.example'] })
  const spellings = [
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '2130706433',
    '0x7f000001',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '017700000001',
    '127.0.0.1.',
    '%31%32%37.0.0.1',
    '１２７.0.0.1',
    '127。0。0。1',
    'user:pw@127.0.0.1',
    '127.0.0.1:8080',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
  ]
  for (const host of spellings)
    assert.match(policy.checkUrl(`http://${host}/x`) ?? `${host} was let through`, /is a loopback address/)
  for (const host of [
    '169.254.169.254',
    '0xa9fea9fe',
    '2852039166',
    '[::ffff:a9fe:a9fe]',
    '[fe80::1]',
    '0',
    '0.0.0.0',
    '[::]',
  ]) {
    assert.match(policy.checkUrl(`https://${host}/latest`) ?? `${host} was let through`, /can never reach/)
  }
  assert.match(policy.checkUrl('http://evil.example/') ?? '', /denied by 'evil.example'/)
  for (const url of ['not a url', 'ftp://8.8.8.8/', 'file:///etc/passwd', 'http://']) {
    assert.equal(policy.checkUrl(url), 'not an http or https URL')
  }
  for (const url of ['http://example.com/', 'https://8.8.8.8/', 'http://localhost/'])
    assert.equal(policy.checkUrl(url), null, url)
})

test('an entry that is not understood is refused with its setting and what is expected', () => {
  const malformedRanges = ['10.0.0.0/33', '10.0.0/8', '127.1', '0x7f000001', '::/129', '10.0.0.0/8/8']
  for (const entry of ['', 'http://a.example', 'a b', '*', 'a.*.example', '-a.example', ...malformedRanges]) {
    assert.throws(() => aPolicy({ deny: [entry] }), /^Error: CALLBACK_DENY: '.*' is not understood\. Expected/, entry)
  }
  assert.throws(() => aPolicy({ allow: ['10.0.0.0/-1'] }), /CALLBACK_ALLOW/)
})

test('no address gets through by being wrapped into IPv6', () => {
  const policy = aPolicy({ deny: ['93.184.0.0/16'] })
  const hex = (a: number, b: number) => ((a << 8) | b).toString(16)
  fc.assert(
    fc.property(fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255)), ([a, b, c, d]) => {
      const [high, low] = [hex(a, b), hex(c, d)]
      const plain = policy.checkAddress(`${a}.${b}.${c}.${d}`) === null
      for (const wrapped of [
        `::ffff:${high}:${low}`,
        `64:ff9b::${high}:${low}`,
        `2002:${high}:${low}::1`,
        `::ffff:0:${high}:${low}`,
      ]) {
        assert.equal(policy.checkAddress(wrapped) === null, plain, wrapped)
        assert.equal(policy.checkUrl(`http://[${wrapped}]/`) === null, plain, wrapped)
      }
    }),
    { examples: [[[127, 0, 0, 1]], [[169, 254, 169, 254]], [[93, 184, 1, 1]], [[10, 0, 0, 1]], [[0, 0, 0, 1]]] },
  )
})
