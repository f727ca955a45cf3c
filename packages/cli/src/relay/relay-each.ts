import type { StoredDelivery } from '@feed-receiver/inbox'
import type { AttemptRecord, Sender } from '@feed-receiver/sender'
import type { Context } from '../command.ts'
import { fixOfAttempt, describeAttempt } from '../describe-attempt.ts'
import { many, nonZero, numeral } from '../output/format-count.ts'
import type { DeliverySource } from './follow.ts'

interface RelayOptions {
  stored: Pick<DeliverySource, 'bytesOf'>
  sender: Sender
  to: URL
  context: Pick<Context, 'out' | 'signal'>
}

/** After one of these causes the next delivery would fail in the same way. */
const endings: ReadonlySet<AttemptRecord['cause']> = new Set(['connect', 'dns', 'timeout', 'tls'])

/** Sends each stored delivery once, in order, and counts the results. */
export async function relayEach(
  deliveries: Iterable<StoredDelivery> | AsyncIterable<StoredDelivery>,
  { stored, sender, to, context: { out, signal } }: RelayOptions,
) {
  let [taken, delivered, failed, withoutBytes] = [0, 0, 0, 0]
  let failure: AttemptRecord | undefined
  for await (const delivery of deliveries) {
    if (signal.aborted) break
    taken += 1
    const { eventId, type } = delivery
    const body = await stored.bytesOf(delivery)
    if (body === null) {
      withoutBytes += 1
      out.result(
        { kind: 'skipped', eventId, type },
        `${eventId}  ${type}  skipped: its content was pruned`,
      )
      continue
    }
    const record = await sender.attempt(body, { to, id: eventId, maxAttempts: 1, signal })
    // Interrupted, so the app may or may not have received it.
    if (record.result === 'aborted') break
    out.result(
      { kind: 'attempt', eventId, type, ...record },
      `${eventId}  ${type}  ${describeAttempt(record)}`.slice(0, out.columns),
    )
    if (record.result === 'accepted') {
      delivered += 1
      continue
    }
    failed += 1
    failure = record
    if (record.result === 'pause' || endings.has(record.cause)) break
  }
  if (failure) out.note(fixOfAttempt(failure))
  if (failure?.result === 'pause')
    out.note('The service would have paused the feed after this answer.')
  // An iterator has no known length, so deliveries after the last one taken are not counted.
  const found = Array.isArray(deliveries) ? deliveries.length : taken
  const notSent = found - delivered - failed - withoutBytes
  return { found, delivered, failed, withoutBytes, notSent }
}

export function describeSummary(summary: Awaited<ReturnType<typeof relayEach>>): string {
  const { found, delivered, failed, withoutBytes, notSent } = summary
  const others = nonZero([
    [failed, 'failed'],
    [withoutBytes, 'without content'],
    [notSent, 'not sent'],
  ])
  return [`${numeral(delivered)} of ${many(found, 'event')} delivered`, ...others].join(', ')
}
