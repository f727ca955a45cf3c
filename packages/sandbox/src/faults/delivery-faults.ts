import { faults } from '@feed-receiver/sender/testing'

interface Row {
  does: string
  /**
   * When it acts: as a delivery is made or due, on what is sent to a signed destination, or on the
   * answer, which chats give too.
   */
  acts: 'due' | 'sent' | 'answered'
  /** It holds for as long as its rule stands, and cannot be counted. */
  lasts?: true
}

/** What deliveries can be made to do wrong, by name. */
export const deliveryFaults = {
  duplicate: { does: 'every attempt that is accepted is made a second time', acts: 'sent' },
  reorder: {
    does: 'about every other event is held back for ten seconds, so that later ones overtake it',
    acts: 'due',
    lasts: true,
  },
  lose_answer: {
    does: 'an accepting answer counts as lost, so that the event comes again',
    acts: 'answered',
  },
  late: { does: faults.late, acts: 'sent' },
  future: { does: faults.future, acts: 'sent' },
  wrong_secret: { does: faults.wrong_secret, acts: 'sent' },
  truncated: { does: faults.truncated, acts: 'sent' },
  reserialised: { does: faults.reserialised, acts: 'sent' },
  bom: { does: faults.bom, acts: 'sent' },
  other_header_id: { does: faults.other_header_id, acts: 'sent' },
  schema_2: { does: faults.schema_2, acts: 'sent' },
  jitter: { does: 'each backoff is stretched by up to a tenth', acts: 'answered', lasts: true },
  hold_paused: {
    does: 'what is due at a paused destination waits for its return instead of being cancelled',
    acts: 'due',
    lasts: true,
  },
  end_unlisted: {
    does: 'an answer that is neither success, pause, 429 nor 5xx ends the delivery at once',
    acts: 'answered',
    lasts: true,
  },
  send_corrections: {
    does: 'corrections and retractions are delivered too, with the id of the event',
    acts: 'due',
    lasts: true,
  },
} satisfies Record<string, Row>

export type DeliveryFault = keyof typeof deliveryFaults

export function rowOf(fault: DeliveryFault): Row {
  return deliveryFaults[fault]
}
