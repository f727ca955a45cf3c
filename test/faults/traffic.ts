import type { SenderOrder } from './programs/sender.ts'

/** What the sender may send, and how far it has come. */
export interface Traffic {
  /** How many events it may have sent by now. */
  readonly allowed: number
  readonly perSecond: number
  /** How many of them were answered 2xx, as it last said. */
  acknowledged: number
  /** Lets the sender go as far as this, and never back, at a speed. */
  allow(events: number, perSecond?: number): void
}

export interface TrafficOptions {
  /** As many as the sender has. */
  limit: number
  perSecond: number
  tellSender: (order: SenderOrder) => Promise<void>
}

export function createTraffic({ limit, perSecond, tellSender }: TrafficOptions): Traffic {
  const pace = { allowed: 0, perSecond }
  return {
    get allowed() {
      return pace.allowed
    },
    get perSecond() {
      return pace.perSecond
    },
    acknowledged: 0,
    allow(events, speed = pace.perSecond) {
      pace.allowed = Math.min(Math.max(events, pace.allowed), limit)
      pace.perSecond = speed
      // A sender that dies over it is started again with the same numbers.
      tellSender({ ...pace }).catch(() => undefined)
    },
  }
}
