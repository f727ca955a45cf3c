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
    return ok('address', 'The service accepts it: public, and https.')
  } catch (error) {
    return warning(
      'address',
      `The service refuses it as a destination. ${problemOf(error)}`,
      'Register the public https address of the app; for a look from this machine it does not matter.',
    )
  }
}

function problemOf(error: unknown): string {
  if (error instanceof SenderError) return error.problem
  return 'Its host has no address.'
}
