/** A signed endpoint, or a chat. */
export type DestinationKind = 'signed' | 'slack' | 'discord' | 'teams'

export const deliveryKinds = ['live', 'test', 'replay'] as const

/** A delivery whose attempt is to be made now. */
export interface ClaimedDelivery {
  id: number
  eventId: string
  kind: (typeof deliveryKinds)[number]
  /** The number of this attempt; the first is 1. */
  attempt: number
  body: string
  destinationId: string
  destinationKind: DestinationKind
  urlSealed: Buffer
  /** The secret that signs now, by the sandbox's clock. Null for a chat. */
  secretSealed: Buffer | null
}

/** One attempt and its outcome. */
export interface MadeAttempt {
  deliveryId: number
  destinationId: string
  eventId: string
  kind: (typeof deliveryKinds)[number]
  /** From 1. */
  attempt: number
  /** The body that was sent. */
  body: string
  /**
   * After `pause` the destination receives no deliveries until it accepts a test delivery, unless the
   * cause is `late_rejection`: the destination had changed since the attempt began.
   */
  result: 'accepted' | 'pause' | 'retry' | 'interrupted'
  cause: string
  /** The status of the response, and the beginning of its body; null if there was none. */
  status: number | null
  responseBody: string | null
  /** The error code if no response arrived, such as ECONNREFUSED; else null. */
  errorCode: string | null
  durationMs: number
  /** The delay before the next attempt, in milliseconds; null if there is none. */
  nextDelayMs: number | null
  /** The injected faults; else null. */
  fault: string | null
}

type OfDelivery = 'destinationId' | 'eventId' | 'kind' | 'body'

/** The outcome of one attempt, as it is stored. */
export interface AttemptOutcome extends Omit<MadeAttempt, OfDelivery> {
  /** Unix seconds in real time, as in the signature. */
  signedAt: number | null
  errorMessage: string | null
  retryAfter: string | null
}

/** Makes due attempts in the background. */
export interface Deliverer {
  /** Checks for due deliveries now, instead of at the next poll. */
  wake(): void
  /** Makes the attempt of a delivery that was claimed elsewhere, and stores its outcome. */
  attempt(delivery: ClaimedDelivery): Promise<AttemptOutcome>
}
