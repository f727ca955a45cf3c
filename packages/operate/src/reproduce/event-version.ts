import { type FeedEvent } from '@feed-receiver/core'
import { parseEvent } from '@feed-receiver/core/internal'
import type { Change } from '@feed-receiver/inbox'
import { readEntry } from '@feed-receiver/inbox/internal'

/** One version of an event's content, as it arrived. */
export interface EventVersion {
  /** When it arrived. */
  at: string
  /**
   * When the first content of the event arrived.
   * @default at
   */
  receivedAt?: string
  via: 'push' | 'pull'
  change: Change
  revision: number
  /** The signed content, of which the body is the JSON. */
  signed?: object
  /** The signed body in Base64. */
  signedBase64?: string
  /** The content from pull. */
  pulled?: object
  /** The stored results of its effects, by key. */
  done?: Record<string, unknown>
  /**
   * Whether its handler certainly finished it. If not, an error of the handler is ignored.
   * @default true
   */
  isCertain?: boolean
}

/** Reads the event of a version, as its handler got it. Throws if it is no event. */
export function readVersion({ signed, signedBase64, pulled }: EventVersion): FeedEvent {
  const base64 = signedBase64 === undefined ? null : Buffer.from(signedBase64, 'base64')
  const body = signed === undefined ? base64 : Buffer.from(JSON.stringify(signed))
  const pull = pulled === undefined ? null : parse(Buffer.from(JSON.stringify(pulled)))
  if (body) parse(body)
  const event = readEntry({ body, pull })
  if (!event) throw new Error('A version has no content. Set `signed`, `signedBase64` or `pulled`.')
  return event
}

function parse(body: Buffer): FeedEvent {
  const parsed = parseEvent(body)
  if ('event' in parsed) return parsed.event
  const { detail } = parsed
  throw new Error(`A version is not a valid event: ${detail}. Restore its original content.`)
}
