import { isIP } from 'node:net'
import { SenderError } from '../errors.ts'
import ipaddr from 'ipaddr.js'

/**
 * Rejects a URL that deliveries must not go to, as far as its text shows. Only https is allowed,
 * without credentials. Local names and addresses that are not public are rejected in every notation.
 * The addresses of a name are checked at each connect.
 *
 * @returns the parsed URL.
 * @throws SenderError `invalid_destination`, or `blocked_address` for an address; neither quotes
 * it.
 */
export function checkTarget(to: string | URL, { allowLocal = false }: TargetRules = {}): URL {
  // The parser normalizes octal, hexadecimal, decimal and full-width digits.
  const url = parseUrl(to)
  if (url?.protocol !== 'https:' && !(allowLocal && url?.protocol === 'http:')) {
    const schemes = allowLocal ? 'http or https' : 'https'
    throw invalid(`is not an ${schemes} URL`, `Use a whole URL, such as ${example}.`)
  }
  if (url.username !== '' || url.password !== '') {
    throw invalid('contains credentials', 'Remove them: the signature authenticates the sender.')
  }
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0) checkAddress(host, { allowLocal })
  else if (!allowLocal && isLocalName(host)) {
    throw invalid(
      'is a host of this machine or a private network',
      `Use a public one, such as ${example}, or, in development, set \`allowLocal\`.`,
    )
  }
  return url
}

// Not URL.canParse: on Node 20 it rejects characters such as ü after some thousand calls.
function parseUrl(text: string | URL): URL | null {
  try {
    return new URL(text)
  } catch {
    return null
  }
}

const example = 'https://app.example.com/feed'

/** A name without a dot resolves only through the search list of a private network. */
function isLocalName(host: string): boolean {
  const name = host.toLowerCase().replace(/\.+$/, '')
  return !name.includes('.') || localNames.test(name)
}

const localNames = /\.(?:localhost|localdomain|local|internal|intranet|lan|home\.arpa)$/

// The URL is not quoted, because it may hold a token or a password.
function invalid(problem: string, fix: string): SenderError {
  return new SenderError('invalid_destination', `The target ${problem}.`, { fix })
}

export interface TargetRules {
  /**
   * Whether to allow plain http and addresses of this machine and its networks, for development.
   * These include 0.0.0.0/8 and `::`, because Linux connects 0.0.0.0 and `::` to this machine.
   * Metadata services, link-local, multicast, reserved and translated addresses, and credentials in
   * the URL, are rejected even so.
   * @default false
   */
  allowLocal?: boolean | undefined
}

/**
 * Rejects an IP address that deliveries must not connect to: all except public unicast.
 *
 * @throws SenderError `blocked_address`, which names the kind of the address.
 */
export function checkAddress(address: string, { allowLocal = false }: TargetRules = {}): void {
  const kind = kindOf(address)
  if (kind === 'public') return
  const { is, isLocal } = kinds[kind]
  if (isLocal && allowLocal) return
  const more = isLocal ? ', or, in development, set `allowLocal`' : ''
  // A resolver may return any text.
  const which = kind === 'garbled' ? 'The address' : `The address ${address}`
  throw new SenderError('blocked_address', `${which} is ${is}.`, {
    fix: `Use a public one${more}.`,
  })
}

/** The kinds of addresses that are not public; `allowLocal` allows the local ones. */
const kinds = {
  loopback: { is: 'a loopback address of this machine', isLocal: true },
  unspecified: { is: 'an unspecified address', isLocal: true },
  private: { is: 'an address of a private network', isLocal: true },
  uniqueLocal: { is: 'an address of a private network', isLocal: true },
  carrierGradeNat: { is: 'an address of a carrier-grade NAT', isLocal: true },
  metadata: { is: 'the address of a metadata service', isLocal: false },
  linkLocal: { is: 'a link-local address', isLocal: false },
  multicast: { is: 'a multicast address', isLocal: false },
  broadcast: { is: 'a broadcast address', isLocal: false },
  embedded: { is: 'an IPv6 address with an IPv4 address in it', isLocal: false },
  reserved: { is: 'a reserved address', isLocal: false },
  garbled: { is: 'not an IP address in its standard form', isLocal: false },
}

type Kind = keyof typeof kinds

// Cloud metadata addresses that are not link-local: Azure's host, Alibaba, Oracle, EC2, Google.
const metadata = new Set(
  ['168.63.129.16', '100.100.100.200', '192.0.0.192', 'fd00:ec2::254', 'fd20:ce::254'].map(
    (address) => ipaddr.parse(address).toString(),
  ),
)

function kindOf(text: string): Kind | 'public' {
  // Stricter than the parser, which also reads octal, hex and a zone.
  if (isIP(text) === 0 || text.includes('%')) return 'garbled'
  const address = ipaddr.parse(text)
  if (metadata.has(address.toString())) return 'metadata'
  const range = address.range()
  if (address.kind() === 'ipv6' && embedding.has(range)) return 'embedded'
  if (range !== 'unicast') return isKind(range) ? range : 'reserved'
  return 'parts' in address ? kindOfUnicast(address) : 'public'
}

const embedding = new Set(['ipv4Mapped', 'rfc6145', 'rfc6052', '6to4', 'teredo'])

// The parser calls every address without a known range unicast, `::127.0.0.1` included.
function kindOfUnicast({ parts }: ipaddr.IPv6): Kind | 'public' {
  const [first = 0] = parts
  if (parts.slice(0, 6).every((part) => part === 0)) return 'embedded'
  if ((first & 0xe000) !== 0x2000) return 'reserved'
  // ISATAP: any prefix, and the IPv4 address at the end.
  const isIsatap = ((parts[4] ?? 0) & 0xfdff) === 0 && parts[5] === 0x5efe
  return isIsatap ? 'embedded' : 'public'
}

function isKind(range: string): range is Kind {
  return Object.hasOwn(kinds, range)
}
