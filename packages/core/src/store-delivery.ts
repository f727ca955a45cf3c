import type { Delivery, DeliveryInbox, EventDelivery, Findings } from './delivery.ts'
import { contradictsId, type Headers } from './request.ts'
import { noteEvent } from './event/notes.ts'
import type { ParsedEvent } from './event/parse-text.ts'
import { isQuarantined, type Accepted, type Quarantined } from './reasons.ts'

/**
 * Stores the event of an authentic delivery, or quarantines a body that is not an event: rejecting
 * it would pause the feed, or exhaust its attempts, because of one event. Rejects if the inbox
 * rejects, or if it resolves with anything but its three answers.
 */
export async function storeDelivery(
  delivery: Delivery,
  parsed: ParsedEvent,
  header: Headers,
  inbox: DeliveryInbox,
  findings: Findings,
): Promise<Accepted | Quarantined> {
  if ('problem' in parsed) {
    const { problem, detail, eventId } = parsed
    findings.detail = detail
    if (eventId !== null) findings.eventId = eventId
    await inbox.quarantine({ ...delivery, detail, eventId }, problem)
    return problem
  }

  const { event } = parsed
  const notes = noteEvent(event)
  findings.eventId = event.id
  findings.eventType = event.type
  findings.notes = notes

  // Only the body is signed. A different header reveals a rewriting proxy or a replay attack.
  const headerId = header('feed-event-id')
  if (headerId === undefined) notes.push('event_id_header_missing')
  if (delivery.isCheck) notes.push('check')
  const isContradicted = headerId !== undefined && contradictsId(headerId, event.id)
  const doubt: EventDelivery['doubt'] = isContradicted ? 'id_mismatch' : null

  // Written out: on Node 20 a spread takes as long as the signature, and an assign a tenth of that.
  const { body, signedAt, signedBy, receivedAt, headers } = delivery
  const authentic: EventDelivery = {
    body,
    signedAt,
    signedBy,
    receivedAt,
    headers,
    event,
    notes,
    doubt,
  }
  if (delivery.isCheck) authentic.isCheck = true
  const result = await inbox.accept(authentic)
  if (result === 'stored' || result === 'duplicate') return result
  if (isQuarantined(result?.quarantined)) return result.quarantined
  throw new TypeError(
    `inbox.accept resolved with ${describe(result)}. It must resolve with 'stored', 'duplicate' or ` +
      '{ quarantined: reason }.',
  )
}

// Never describe the content of an object: it may hold a body.
function describe(value: unknown): string {
  return typeof value === 'object' && value !== null ? 'another object' : String(value)
}
