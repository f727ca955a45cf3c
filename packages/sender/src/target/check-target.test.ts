import { describe, expect, test } from 'vitest'
import { checkTarget } from './check-target.ts'

const invalid = 'invalid_destination'
const blocked = 'blocked_address'

test.each([
  'https://app.example.com/feed',
  'https://app.example.com:8443/feed?key=1#top',
  'https://app.example.com./feed',
  'HTTPS://APP.EXAMPLE.COM',
  'https://münchen.example/feed',
  'https://8.8.8.8/feed',
  'https://010.8.8.8/feed',
  'https://[2606:4700:4700::1111]/feed',
  'https://localhost.example.com/',
  'https://internal.example.com/',
  'https://notlocal.example/',
])('%s is allowed, and returned as a URL [R176]', (to) => {
  expect(checkTarget(to)).toEqual(new URL(to))
  expect(checkTarget(new URL(to)).href).toBe(new URL(to).href)
})

test('allows a name with an umlaut after thousands of checks', () => {
  for (let count = 0; count < 20_000; count += 1) checkTarget(`https://a.example/${count % 7}`)
  expect(checkTarget('https://münchen.example/feed').hostname).toBe('xn--mnchen-3ya.example')
})

test('returns a copy', () => {
  const to = new URL('https://app.example.com/feed')
  const target = checkTarget(to)
  to.hostname = '127.0.0.1'
  expect(target.hostname).toBe('app.example.com')
})

describe('rejects a target that is not a public https URL [R176, R177]', () => {
  test.each([
    ['', 'is not an https URL'],
    ['app.example.com/feed', 'is not an https URL'],
    ['//app.example.com/feed', 'is not an https URL'],
    ['https://', 'is not an https URL'],
    ['https://1.2.3.4.5/', 'is not an https URL'],
    ['https://256.0.0.1/', 'is not an https URL'],
    ['https://exa mple.com/', 'is not an https URL'],
    ['https://[::1%25lo]/', 'is not an https URL'],
    ['https://[fe80::1%eth0]/', 'is not an https URL'],
    ['http://app.example.com/feed', 'is not an https URL'],
    ['ftp://app.example.com/feed', 'is not an https URL'],
    ['ws://app.example.com/feed', 'is not an https URL'],
    ['file:///etc/passwd', 'is not an https URL'],
    ['data:text/plain,hi', 'is not an https URL'],
    ['javascript:alert(1)', 'is not an https URL'],
    ['https://private-user@app.example.com/', 'contains credentials'],
    ['https://private-user:private-word@app.example.com/', 'contains credentials'],
    ['https://:private-word@app.example.com/', 'contains credentials'],
    ['https://app.example.com@private-host.example/', 'contains credentials'],
    ['https://localhost/', 'is a host of this machine'],
    ['https://LOCALHOST:8443/', 'is a host of this machine'],
    ['https://localhost./', 'is a host of this machine'],
    ['https://localhost../', 'is a host of this machine'],
    ['https://app.localhost/', 'is a host of this machine'],
    ['https://ｌｏｃａｌｈｏｓｔ/', 'is a host of this machine'],
    ['https://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/', 'is a host of this machine'],
    ['https://app。localhost/', 'is a host of this machine'],
    ['https://localhost.localdomain/', 'is a host of this machine'],
    ['https://printer.local/', 'is a host of this machine'],
    ['https://metadata.google.internal/', 'is a host of this machine'],
    ['https://metadata.google.internal./', 'is a host of this machine'],
    ['https://host.docker.internal/', 'is a host of this machine'],
    ['https://nas.home.arpa/', 'is a host of this machine'],
    ['https://wiki.intranet/', 'is a host of this machine'],
    ['https://router.lan/', 'is a host of this machine'],
    ['https://metadata/', 'is a host of this machine'],
    ['https://ip6-localhost/', 'is a host of this machine'],
  ])('%s', (to, problem) => {
    const error = rejection(to)
    expect(error).toMatchObject({ name: 'SenderError', code: invalid })
    expect(String(error)).toContain(`The target ${problem}`)
    expect(String(error)).not.toContain('private-')
  })

  test('an object of another type', () => {
    // @ts-expect-error as in JavaScript without types
    expect(rejection({ hostname: 'app.example.com' })).toMatchObject({ code: invalid })
    // @ts-expect-error as in JavaScript without types
    expect(rejection(undefined)).toMatchObject({ code: invalid })
  })
})

describe('rejects an address that is not public in every notation [R178]', () => {
  const hosts = `
    127.0.0.1 127.1 127.0.1 0177.0.0.1 0177.1 00000177.0.0.1 0x7f.0.0.1 0x7f.1 0X7F000001
    2130706433 017700000001 127.0.0.1. １２７.０.０.１ ①②⑦.0.0.1 127。0。0。1 %31%32%37.0.0.1 0
    0.0.0.0 0x0 0.1.2.3 [::] [::1] [0:0:0:0:0:0:0:1] [0000::0001] 10.0.0.1 0xa000001 167772161 012.1
    172.16.0.1 192.168.1.1 192.168.257 3232235777 100.64.0.1 [fc00::1] [fd12:3456::1]
    169.254.169.254 0xa9fea9fe 2852039166 0251.0376.0251.0376 169.254.43518 [fd00:ec2::254]
    168.63.129.16 100.100.100.200 224.0.0.1 255.255.255.255 4294967295 [ff02::1] [fe80::1]
    [::ffff:127.0.0.1] [::ffff:7f00:1] [::FFFF:a9fe:a9fe] [::ffff:8.8.8.8] [::127.0.0.1]
    [::7f00:1] [::ffff:0:127.0.0.1] [64:ff9b::127.0.0.1] [64:ff9b::a9fe:a9fe] [64:ff9b:1::1]
    [2002:7f00:1::] [2001:0:7f00:1::] [2001:db8::1] [3fff::1] [fec0::1]
    [2a00:1450::5efe:7f00:1] 192.0.2.1 198.18.0.1 198.51.100.1 203.0.113.1
  `
  test.each(hosts.trim().split(/\s+/))('%s', (host) => {
    expect(rejection(`https://${host}/feed`)).toMatchObject({ name: 'SenderError', code: blocked })
    expect(rejection(`https://${host}:8443`)).toMatchObject({ code: blocked })
  })
})

describe('with allowLocal [R185]', () => {
  test.each([
    'http://localhost:3000/webhooks/feed',
    'http://127.0.0.1:3000/',
    'http://[::1]:3000/',
    'http://0.0.0.0:3000/',
    'http://0.1.2.3:3000/',
    'http://[::]:3000/',
    'http://2130706433/',
    'http://192.168.1.20/',
    'http://[fd12:3456::1]/',
    'http://host.docker.internal:3000/',
    'http://web:3000/',
    'http://app.example.com/',
    'https://localhost:8443/',
  ])('%s is allowed', (to) => {
    expect(checkTarget(to, { allowLocal: true }).href).toBe(new URL(to).href)
  })

  test.each([
    ['http://user:word@localhost:3000/', invalid],
    ['ftp://localhost/', invalid],
    ['localhost:3000/feed', invalid],
    ['http://169.254.169.254/latest/meta-data/', blocked],
    ['http://0xa9fea9fe/', blocked],
    ['http://[fd00:ec2::254]/', blocked],
    ['http://[fe80::1]/', blocked],
    ['http://[::ffff:127.0.0.1]/', blocked],
    ['http://[64:ff9b::7f00:1]/', blocked],
    ['http://224.0.0.1/', blocked],
    ['http://255.255.255.255/', blocked],
  ])('%s is rejected even so', (to, code) => {
    expect(rejection(to, true)).toMatchObject({ name: 'SenderError', code })
  })
})

function rejection(to: string | URL, allowLocal?: boolean): unknown {
  try {
    checkTarget(to, { allowLocal })
    return null
  } catch (error) {
    return error
  }
}
