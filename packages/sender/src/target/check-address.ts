import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { SenderError } from '../errors.ts'
import kinds from './address-kinds.json' with { type: 'json' }

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
