import type { Delivery, DeliveryInbox, EventDelivery } from './delivery.ts'
import { contradictsId, type Headers } from './headers.ts'
import type { Findings } from './observation.ts'
import { noteEvent } from './notes.ts'
import { parseText } from './parse-event.ts'
import type { Accepted, Quarantined } from './statuses.ts'

/**
 * Reads the event out of an authentic delivery and hands it to the inbox. What cannot be read is
 * kept too, in quarantine: a refusal would pause the feed, or spend its attempts, over one event.
 * Rejects only where the inbox does.
 */
export async function storeDelivery(
  delivery: Delivery,
  text: string | undefined,
  header: Headers,
  inbox: DeliveryInbox,
  findings: Findings,
): Promise<Accepted | Quarantined> {
  const parsed = parseText(text)
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

  // Only the body is signed. The header is compared to find a rewriting proxy, or a replayer.
  const headerId = header('feed-event-id')
  if (headerId === undefined) notes.push('event_id_header_missing')
  const isContradicted = headerId !== undefined && contradictsId(headerId, event.id)
  const doubt: EventDelivery['doubt'] = isContradicted ? 'id_mismatch' : null

  // Neither spread nor assigned: on Node 20 the one takes as long as the signature, the other a tenth.
  const { body, signedAt, signedBy, receivedAt, headers } = delivery
  const authentic = { body, signedAt, signedBy, receivedAt, headers, event, notes, doubt }
  const result = await inbox.accept(authentic)
  return result === 'quarantined' ? (doubt ?? 'id_conflict') : result
}
