import { describe, expect, test } from 'vitest'
import { checkAddress } from './check-target.ts'

const here = 'a loopback address of this machine'
const unspecified = 'an unspecified address'
const network = 'an address of a private network'
const metadata = 'the address of a metadata service'
const embedded = 'an IPv6 address with an IPv4 address in it'
const reserved = 'a reserved address'
const garbled = 'not an IP address in its standard form'

// Allowed with allowLocal.
const local: readonly (readonly [string, string])[] = [
  ['127.0.0.1', here],
  ['127.255.255.254', here],
  ['0.0.0.0', unspecified],
  ['0.1.2.3', unspecified],
  ['::1', here],
  ['0:0:0:0:0:0:0:1', here],
  ['::', unspecified],
  ['10.0.0.0', network],
  ['10.255.255.255', network],
  ['172.16.0.0', network],
  ['172.31.255.255', network],
  ['192.168.0.1', network],
  ['192.168.255.255', network],
  ['fc00::', network],
  ['fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', network],
  ['100.64.0.1', 'an address of a carrier-grade NAT'],
  ['100.127.255.255', 'an address of a carrier-grade NAT'],
]

// Never allowed.
const never: readonly (readonly [string, string])[] = [
  ['169.254.169.254', 'a link-local address'],
  ['169.254.170.2', 'a link-local address'],
  ['169.254.0.1', 'a link-local address'],
  ['fe80::1', 'a link-local address'],
  ['febf:ffff::1', 'a link-local address'],
  ['168.63.129.16', metadata],
  ['100.100.100.200', metadata],
  ['192.0.0.192', metadata],
  ['fd00:ec2::254', metadata],
  ['FD00:0EC2:0:0:0:0:0:254', metadata],
  ['fd20:ce::254', metadata],
  ['224.0.0.1', 'a multicast address'],
  ['239.255.255.255', 'a multicast address'],
  ['ff02::1', 'a multicast address'],
  ['ff0e::1', 'a multicast address'],
  ['255.255.255.255', 'a broadcast address'],
  ['::ffff:127.0.0.1', embedded],
  ['::ffff:7f00:1', embedded],
  ['::ffff:169.254.169.254', embedded],
  ['::FFFF:8.8.8.8', embedded],
  ['0:0:0:0:0:ffff:0a00:0001', embedded],
  ['::ffff:0:127.0.0.1', embedded],
  ['::ffff:0:7f00:1', embedded],
  ['::127.0.0.1', embedded],
  ['::7f00:1', embedded],
  ['::8.8.8.8', embedded],
  ['::2', embedded],
  ['64:ff9b::127.0.0.1', embedded],
  ['64:ff9b::7f00:1', embedded],
  ['64:ff9b::8.8.8.8', embedded],
  ['64:ff9b:1::10.0.0.1', embedded],
  ['64:ff9b:1:ffff::1', embedded],
  ['2002:7f00:1::', embedded],
  ['2002:808:808::1', embedded],
  ['2001::1', embedded],
  ['2001:0:7f00:1::', embedded],
  ['2a00:1450::5efe:127.0.0.1', embedded],
  ['2a00:1450::200:5efe:10.0.0.1', embedded],
  ['192.0.0.1', reserved],
  ['192.0.2.1', reserved],
  ['192.88.99.1', reserved],
  ['198.18.0.1', reserved],
  ['198.19.255.255', reserved],
  ['198.51.100.1', reserved],
  ['203.0.113.1', reserved],
  ['192.175.48.1', reserved],
  ['240.0.0.1', reserved],
  ['255.255.255.254', reserved],
  ['100::1', reserved],
  ['2001:2::1', reserved],
  ['2001:3::1', reserved],
  ['2001:10::1', reserved],
  ['2001:20::1', reserved],
  ['2001:db8::1', reserved],
  ['2001:db8:ffff::1', reserved],
  ['3fff::1', reserved],
  ['5f00::1', reserved],
  ['fec0::1', reserved],
  ['1::1', reserved],
  ['1fff:ffff::1', reserved],
  ['4000::1', reserved],
  ['fbff::1', reserved],
  ['', garbled],
  ['localhost', garbled],
  ['127.1', garbled],
  ['0177.0.0.1', garbled],
  ['010.8.8.8', garbled],
  ['0x7f.0.0.1', garbled],
  ['0x7f000001', garbled],
  ['2130706433', garbled],
  ['127.0.0.1.', garbled],
  [' 127.0.0.1', garbled],
  ['8.8.8.8 ', garbled],
  ['8.8.8.8:80', garbled],
  ['8.8.8.8/32', garbled],
  ['１２７.0.0.1', garbled],
  ['[::1]', garbled],
  ['fe80::1%eth0', garbled],
  ['2a00:1450::1%1', garbled],
  ['::1%lo', garbled],
  ['::ffff:0177.0.0.1', garbled],
]

const open = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.1',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '192.169.0.0',
  '223.255.255.255',
  '2000::1',
  '2001:4860:4860::8888',
  '2606:4700:4700::1111',
  '2A00:1450:4001:0800:0000:0000:0000:200E',
  '2a00:1450::5eff:7f00:1',
  '3ffe:ffff::1',
]

const more =
  'More: https://feed-receiver.github.io/feed-receiver/reference/errors#sender-blocked_address'

describe.each(local)('%s', (address, kind) => {
  test(`is ${kind}, and rejected`, () => {
    expect(rejection(address)).toMatchObject({
      name: 'SenderError',
      code: 'blocked_address',
      message: `The address ${address} is ${kind}. Use a public one, or, in development, set \`allowLocal\`. ${more}`,
    })
  })

  test('is allowed with allowLocal [R185]', () => {
    expect(rejection(address, true)).toBeNull()
  })
})

test.each(never)('%s is %s, and rejected even with allowLocal [R178]', (address, kind) => {
  for (const allowLocal of [false, true]) {
    const shown = kind === garbled ? 'The address' : `The address ${address}`
    expect(rejection(address, allowLocal)).toMatchObject({
      code: 'blocked_address',
      message: `${shown} is ${kind}. Use a public one. ${more}`,
    })
  }
})

test.each(open)('%s is public [R178]', (address) => {
  expect(rejection(address)).toBeNull()
  expect(rejection(address, true)).toBeNull()
})

function rejection(address: string, allowLocal?: boolean): unknown {
  try {
    checkAddress(address, { allowLocal })
    return null
  } catch (error) {
    return error
  }
}
