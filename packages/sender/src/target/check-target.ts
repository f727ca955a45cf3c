import { isIP } from 'node:net'
import { SenderError } from '../errors.ts'
import ipaddr from 'ipaddr.js'
import kinds from './address-kinds.json' with { type: 'json' }

/**
 * Refuses a URL that deliveries must not go to, as far as its text can tell: https only (R176), no
 * credentials (R177), and no local name and no address but a public one, in whatever spelling (R178).
 * What a name resolves to is checked at every connect.
 *
 * @returns the URL, read.
 * @throws SenderError `invalid_destination`, or `blocked_address` for an address; neither quotes it.
 */
export function checkTarget(to: string | URL, { allowLocal = false }: TargetRules = {}): URL {
  // The parser folds octal, hexadecimal, decimal and full-width digits to the one spelling.
  const url = parseUrl(to)
  if (url?.protocol !== 'https:' && !(allowLocal && url?.protocol === 'http:')) {
    const schemes = allowLocal ? 'http or https' : 'https'
    throw invalid(`is no ${schemes} URL`, `Give the whole address, such as ${example}.`)
  }
  if (url.username !== '' || url.password !== '') {
    throw invalid('holds credentials', 'Remove them: the signature is what tells who sends.')
  }
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0) checkAddress(host, { allowLocal })
  else if (!allowLocal && isLocalName(host)) {
    throw invalid(
      'names a host of this machine or a private network',
      `Give a public one, such as ${example}, or, in development, set \`allowLocal\`.`,
    )
  }
  return url
}

// Not URL.canParse: after some thousand calls, that of Node 20 rejects characters such as ü.
function parseUrl(text: string | URL): URL | null {
  try {
    return new URL(text)
  } catch {
    return null
  }
}

const example = 'https://app.example.com/feed'

/** A name without a dot is found only by way of a private network's search list. */
function isLocalName(host: string): boolean {
  const name = host.toLowerCase().replace(/\.+$/, '')
  return !name.includes('.') || localNames.test(name)
}

const localNames = /\.(?:localhost|localdomain|local|internal|intranet|lan|home\.arpa)$/

// The URL is not quoted: it may hold a token or a password.
function invalid(problem: string, advice: string): SenderError {
  return new SenderError('invalid_destination', `The target ${problem}.`, { advice })
}

export interface TargetRules {
  /**
   * Whether plain http and addresses of this machine and its networks are allowed too, for
   * development. Metadata services, link-local, multicast, reserved and translated addresses, and
   * credentials in the URL, are refused even so.
   * @default false
   */
  allowLocal?: boolean | undefined
}

/**
 * Refuses an IP address that deliveries must not be connected to (R178): all but public unicast.
 *
 * @throws SenderError `blocked_address`, which says what the address is.
 */
export function checkAddress(address: string, { allowLocal = false }: TargetRules = {}): void {
  const kind = kindOf(address)
  if (kind === 'public') return
  const { is, isLocal } = kinds[kind]
  if (isLocal && allowLocal) return
  const more = isLocal ? ', or, in development, set `allowLocal`' : ''
  // A resolver could hand over any text.
  const which = kind === 'garbled' ? 'The address' : `The address ${address}`
  throw new SenderError('blocked_address', `${which} is ${is}.`, {
    advice: `Give a public one${more}.`,
  })
}

type Kind = keyof typeof kinds

// What clouds answer on beside link-local addresses: Azure's host, Alibaba, Oracle, EC2, Google.
const metadata = new Set(
  ['168.63.129.16', '100.100.100.200', '192.0.0.192', 'fd00:ec2::254', 'fd20:ce::254'].map(
    (address) => ipaddr.parse(address).toString(),
  ),
)

function kindOf(text: string): Kind | 'public' {
  // Stricter than the parser, which reads octal, hex and a zone as well.
  if (isIP(text) === 0 || text.includes('%')) return 'garbled'
  const address = ipaddr.parse(text)
  if (metadata.has(address.toString())) return 'metadata'
  const range = address.range()
  if (address.kind() === 'ipv6' && embedding.has(range)) return 'embedded'
  if (range !== 'unicast') return isKind(range) ? range : 'reserved'
  return 'parts' in address ? kindOfUnicast(address) : 'public'
}

const embedding = new Set(['ipv4Mapped', 'rfc6145', 'rfc6052', '6to4', 'teredo'])

// To the parser all that it knows no name for is unicast, `::127.0.0.1` included.
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
