import { parseEvent } from '@feed-receiver/core/internal'
import { type FeedEvent } from '@feed-receiver/core'
import { contentHash } from './content-hash.ts'

/** The content of an entry as stored, from push and from pull; both are null after retention. */
export interface EntryContent {
  /** The signed body, if push has brought it and retention has not deleted it. */
  body: Uint8Array | null
  /** The latest content from pull, in the envelope. */
  pull: FeedEvent | null
}

/**
 * Returns the event of an entry: the exact signed content with the facts that only pull has, or the
 * pulled content if it is newer. Null if no content is stored any more.
 */
export function readEntry({ body, pull }: EntryContent): FeedEvent | null {
  const signed = body === null ? null : readBody(body)
  if (!signed || !pull) return signed ?? pull
  return contentHash(signed) === contentHash(pull) ? { ...signed, pull: pull.pull } : pull
}

function readBody(body: Uint8Array): FeedEvent | null {
  const parsed = parseEvent(body)
  return 'event' in parsed ? parsed.event : null
}
