import type { FeedEvent } from '@feed-receiver/core'
import { toFeedEvent, type ApiEvent } from '@feed-receiver/core/api'
import { ClientError } from '../errors.ts'
import { followPages, type Page } from '../read-page.ts'
import { breakingOff } from '../wait.ts'
import type { PageProgress, PollAlert } from './poller-options.ts'
import type { PollPlace } from './poll-place.ts'

/** What was read in one go. */
export interface ReadCounts {
  pages: number
  /** Events that were not known. */
  stored: number
  /** Known events whose content has changed. */
  revised: number
}

/** The first page of all; later ones are as large as may be, since each costs a request. */
const firstLimit = 50
const limit = 200

/**
 * A wait that is shorter is sat out with the lease in hand; a longer one is written down, and waited
 * for without.
 */
const maxWaitMs = 5_000

/**
 * Reads a stream from a cursor, or from its head, until there is no more, and stores page by page;
 * `counts` has what is stored even where a later page fails. A cursor is kept only with its events.
 */
export async function readStream(
  place: PollPlace,
  cursor: string | null,
  counts: ReadCounts,
  signal: AbortSignal,
): Promise<{ isCursorLost: boolean }> {
  const { client, filter } = place
  let sent = cursor
  try {
    await follow({})
    return { isCursorLost: false }
  } catch (error) {
    // Without a cursor it is the filter that is refused.
    const isRefused = error instanceof ClientError && error.code === 'invalid_request'
    if (sent === null || !isRefused) throw error
    place.alerts.raise(cursorLost)
    sent = null
    await follow({ gapCode: error.code })
    return { isCursorLost: true }
  }

  function follow(first: Partial<PageProgress>): Promise<void> {
    return breakingOff([signal], async (own) => {
      // After a lost cursor the head should reach back as far as it can.
      const headLimit = first.gapCode === undefined ? firstLimit : limit
      const getPage = async (next: string | null) => {
        const wanted = { cursor: next, limit: next === null ? headLimit : limit }
        const page = await client.eventPage({ ...filter, ...wanted, signal: own.signal, maxWaitMs })
        return preparePage(page, next, place)
      }
      let more = first
      for await (const page of followPages(sent, getPage, true)) {
        const { stored, revised } = await storePage(page, place, more)
        counts.pages += 1
        counts.stored += stored
        counts.revised += revised
        sent = page.cursor
        more = {}
      }
    })
  }
}

const cursorLost: PollAlert = {
  code: 'cursor_lost',
  message:
    'The service does not take the stored cursor any more, so reading begins again from the ' +
    'newest events. What came in between may be missing; inbox.gaps.streams() has the times.',
}

/** Reads the head of the feed again, and leaves the cursor alone. */
export async function sweepHead(place: PollPlace, signal: AbortSignal): Promise<void> {
  const page = await place.client.eventPage({ ...place.filter, limit, signal, maxWaitMs })
  await storePage(preparePage(page, null, place), place, { isSweep: true, cursor: null })
}

/** A page of which only the inbox and its database have work left. */
interface ReadyPage extends Omit<Page<ApiEvent>, 'items'> {
  /** Oldest first. */
  events: FeedEvent[]
}

/** Makes a page ready to store; the one before may still be on its way into the inbox. */
function preparePage(
  { items, ...page }: Page<ApiEvent>,
  sentCursor: string | null,
  { inbox }: PollPlace,
): ReadyPage {
  const events = items.map(toFeedEvent)
  // Without a cursor pages have the newest events first, and with one the oldest.
  if (sentCursor === null) events.reverse()
  inbox.preparePage?.(events)
  return { ...page, events }
}

async function storePage(
  { events, ...page }: ReadyPage,
  { inbox, stream, holder, now, expects, alerts, hold }: PollPlace,
  progress: Partial<PageProgress>,
): Promise<{ stored: number; revised: number }> {
  const at = new Date(now())
  const stored = await hold(() =>
    inbox.acceptPage(events, { ...page, stream, holder, at, expects, ...progress }),
  )
  if (page.unreadable.length > 0 && progress.isSweep !== true) {
    alerts.raise({
      code: 'unreadable_events',
      message:
        'Something on a page of the feed is no event that this version can read. It is in ' +
        'quarantine; update this package, or tell the service.',
    })
  }
  return stored
}
