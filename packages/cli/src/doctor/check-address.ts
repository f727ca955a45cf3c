import { lookup } from 'node:dns/promises'
import { checkAddress as refuseAddress, checkTarget, SenderError } from '@feed-receiver/sender'
import { ok, warning, type Finding } from './finding.ts'

/** Says whether the service would take this address for a destination (R176–R178). */
export async function checkAddress(url: URL): Promise<Finding> {
  try {
    const { hostname } = checkTarget(url)
    const host = hostname.replace(/^\[|\]$/g, '')
    const addresses = await lookup(host, { all: true })
    for (const { address } of addresses) refuseAddress(address)
    return ok('address')
  } catch (error) {
    const problem = error instanceof SenderError ? error.problem : 'Its host has no address.'
    return warning('address', { problem })
  }
}
