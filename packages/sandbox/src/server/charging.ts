import { createGroupCommit, type Queryable } from '@feed-receiver/database'
import { chargeRequests, type Charge } from './charge-requests.ts'

/** What became of one request: charged, or refused by what its account has left. */
export interface ChargedRequest extends Charge {
  isGranted: boolean
}

/** Charges one request of this key; undefined if the key is unknown or revoked. */
export type ChargeRequest = (keySha256: string) => Promise<ChargedRequest | undefined>

/**
 * Charges requests before they are answered. Those of one key that come while a statement is under way
 * share the next one, each with its own place in it; a lone one does not wait for company.
 */
export function createCharging(database: Queryable): ChargeRequest {
  const { add } = createGroupCommit<string, ChargedRequest | undefined>(
    async (group, key) => {
      const charge = await chargeRequests(database, key, group.length)
      return group.map((_, index) => charge && placeIn(charge, index))
    },
    { keyOf: (key) => key },
  )
  return add
}

/** The first of a group were let through; each counts those before it, and itself. */
function placeIn(charge: Charge, index: number): ChargedRequest {
  const isGranted = index < charge.granted
  const later = isGranted ? charge.granted - index - 1 : 0
  return {
    ...charge,
    isGranted,
    requests: charge.requests - later,
    burstRequests: charge.burstRequests - later,
  }
}
