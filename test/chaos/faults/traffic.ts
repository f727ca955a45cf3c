import type { SenderOrder } from './programs/sender.ts'

/** How many events the sender may send, and how many were acknowledged. */
export interface Traffic {
  /** How many events it may have sent by now. */
  readonly allowed: number
  readonly perSecond: number
  /** How many of them got a 2xx response, by its last report. */
  acknowledged: number
  /** Raises the number of events that the sender may send, and sets its speed. */
  allow(events: number, perSecond?: number): void
}

export interface TrafficOptions {
  /** The number of events that the sender has. */
  limit: number
  perSecond: number
  sendToSender: (order: SenderOrder) => Promise<void>
}

export function createTraffic({ limit, perSecond, sendToSender }: TrafficOptions): Traffic {
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
      // A sender that dies during the call restarts with the same numbers.
      sendToSender({ ...pace }).catch(() => undefined)
    },
  }
}
