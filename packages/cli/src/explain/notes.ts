import { parseEvent } from '@feed-receiver/core'
import type { CapturedDelivery } from '../read-delivery.ts'

const maxBodyBytes = 1_048_576

/** What a receiver makes of a delivery beside its signature. */
export function notesOn({ body, headers }: CapturedDelivery): string[] {
  const notes: string[] = []
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding.toLowerCase() !== 'identity') {
    notes.push(
      'It has a Content-Encoding, which a receiver answers with 415: send it uncompressed.',
    )
  }
  if (body.length > maxBodyBytes) {
    notes.push(
      'Its body is over 1 MiB, which a receiver answers with 413 unless its limit is raised.',
    )
  }
  const parsed = parseEvent(body)
  if ('problem' in parsed) {
    notes.push(`It would go into quarantine as ${parsed.problem}: ${parsed.detail}`)
    return notes
  }
  const id = headers['feed-event-id']
  if (id !== undefined && id !== parsed.event.id) {
    notes.push('Its Feed-Event-Id names another event than the body: it would go into quarantine.')
  }
  return notes
}
