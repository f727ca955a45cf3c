import { setTimeout as delay } from 'node:timers/promises'
import type { EntryFilter, StoredDelivery, StoredDeliveryTarget } from '@feed-receiver/inbox'
import type { AttemptRecord, Sender } from '@feed-receiver/sender'
import type { Context } from '../command.ts'
import { fixOfAttempt, describeAttempt } from '../describe-attempt.ts'
import { fitLine } from '../output/format-table.ts'
import { many, nonZero, numeral } from '../output/words.ts'

/** The source of stored deliveries: a database, or a console. */
export interface DeliverySource {
  /** Returns the newest `limit` matching deliveries, oldest first. */
  find(target: StoredDeliveryTarget, limit: number): Promise<StoredDelivery[]>
  /** The raw body of a delivery; null if it was pruned, or the event came by pull. */
  bytesOf(delivery: StoredDelivery): Promise<Uint8Array | null>
}

interface RelayOptions {
  stored: Pick<DeliverySource, 'bytesOf'>
  sender: Sender
  to: URL
  context: Pick<Context, 'out' | 'signal'>
}

interface RelaySummary {
  found: number
  delivered: number
  failed: number
  /** Deliveries whose body is not stored: it was pruned, or the event came by pull. */
  withoutBytes: number
  notSent: number
}

/** After one of these causes the next delivery would fail in the same way. */
const endings: ReadonlySet<AttemptRecord['cause']> = new Set(['connect', 'dns', 'timeout', 'tls'])

/** Sends each stored delivery once, in order, and prints the results and their counts. */
export async function relayEach(
  deliveries: Iterable<StoredDelivery> | AsyncIterable<StoredDelivery>,
  { stored, sender, to, context: { out, signal } }: RelayOptions,
): Promise<RelaySummary> {
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
        `${eventId}  ${type}  skipped: no signed body is stored (it was pruned, or came by pull)`,
      )
      continue
    }
    const record = await sender.attempt(body, { to, id: eventId, maxAttempts: 1, signal })
    // Interrupted, so the app may or may not have received it.
    if (record.result === 'aborted') break
    out.result(
      { kind: 'attempt', eventId, type, ...record },
      fitLine(`${eventId}  ${type}  ${describeAttempt(record)}`, out.columns),
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
  const summary = { found, delivered, failed, withoutBytes, notSent }
  out.result({ kind: 'summary', ...summary }, describeRelay(summary))
  return summary
}

function describeRelay({ found, delivered, ...summary }: RelaySummary): string {
  const { failed, withoutBytes, notSent } = summary
  const others = nonZero([
    [failed, 'failed'],
    [withoutBytes, 'without a signed body'],
    [notSent, 'not sent'],
  ])
  return [`${numeral(delivered)} of ${many(found, 'event')} delivered`, ...others].join(', ')
}

const pollMs = 1_000
/**
 * A delivery may become visible this much after its time of receipt, because of open transactions
 * and the clock skew between apps.
 */
const lateMs = 60_000
const followedLimit = 10_000

/** Yields each newly stored delivery once, until the signal aborts. */
export async function* follow(
  source: DeliverySource,
  { filter, signal }: { filter: EntryFilter; signal: AbortSignal },
): AsyncGenerator<StoredDelivery, void> {
  const since = new Date(filter.since ?? 0)
  const recent = (newest: StoredDelivery | undefined) => {
    if (!newest) return source.find({ filter }, followedLimit)
    const from = Math.max(Date.parse(newest.receivedAt) - lateMs, Number(since))
    return source.find({ filter: { ...filter, since: new Date(from) } }, followedLimit)
  }
  let [newest] = await source.find({ filter }, 1)
  let given = new Set(newest && (await recent(newest)).map(({ eventId }) => eventId))
  while (!signal.aborted) {
    const found = await recent(newest)
    for (const delivery of found) if (!given.has(delivery.eventId)) yield delivery
    given = new Set(found.map(({ eventId }) => eventId))
    newest = found.at(-1) ?? newest
    await delay(pollMs, undefined, { signal }).catch(() => undefined)
  }
}
