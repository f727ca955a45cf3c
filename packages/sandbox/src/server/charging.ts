import type { Queryable } from '@feed-receiver/database'
import { chargeRequests, type Charge } from './charge-requests.ts'

/** What became of one request: charged, or refused by what its account has left. */
export interface ChargedRequest extends Charge {
  isGranted: boolean
}

/** Charges one request of this key; undefined where the key is unknown or revoked. */
export type ChargeRequest = (keySha256: string) => Promise<ChargedRequest | undefined>

/**
 * Charges requests before they are answered. Those of one key that come while a statement is under way
 * share the next one, each with its own place in it; a lone one does not wait for company.
 */
export function createCharging(database: Queryable): ChargeRequest {
  const lines = new Map<string, Line>()

  return (keySha256) =>
    new Promise((resolve, reject) => {
      const line = lines.get(keySha256) ?? { waiting: [] }
      line.waiting.push({ resolve, reject })
      if (lines.has(keySha256)) return
      lines.set(keySha256, line)
      void work(keySha256, line)
    })

  async function work(keySha256: string, line: Line): Promise<void> {
    while (line.waiting.length > 0) {
      const group = line.waiting
      line.waiting = []
      await chargeGroup(keySha256, group)
    }
    lines.delete(keySha256)
  }

  async function chargeGroup(keySha256: string, group: Waiting[]): Promise<void> {
    try {
      const charge = await chargeRequests(database, keySha256, group.length)
      for (const [index, { resolve }] of group.entries()) {
        resolve(charge && placeIn(charge, index))
      }
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }
}

interface Waiting {
  resolve: (charged: ChargedRequest | undefined) => void
  reject: (error: unknown) => void
}

interface Line {
  waiting: Waiting[]
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
