import { lookup as lookUp } from 'node:dns/promises'
import { isIP } from 'node:net'
import { checkAddress, type TargetRules } from './check-address.ts'

/** Finds the addresses of a host. */
export type Lookup = (hostname: string) => Promise<readonly { address: string }[]>

/** What the system says, its hosts file included. */
const systemLookup: Lookup = (hostname) => lookUp(hostname, { all: true })

interface ResolvedAddress {
  address: string
  family: number
}

/**
 * Resolves a name and checks every address it has (R178): one that is refused, among however many,
 * refuses the host.
 *
 * @throws SenderError `blocked_address`, or what `lookup` throws.
 */
export async function resolveTarget(
  hostname: string,
  { lookup = systemLookup, ...rules }: TargetRules & { lookup?: Lookup | undefined },
): Promise<ResolvedAddress[]> {
  const found = await lookup(hostname)
  if (found.length === 0) {
    throw Object.assign(new Error('The host has no address.'), { code: 'ENODATA' })
  }
  return found.map(({ address }) => {
    checkAddress(address, rules)
    return { address, family: isIP(address) }
  })
}
