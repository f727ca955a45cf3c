import { toFeedEvent, type ApiEvent } from '@feed-receiver/core/api'
import { ClientError } from '../errors.ts'
import type { EventsOptions } from '../events.ts'
import { checkLeadsOn, type Page } from '../read-page.ts'
import { breakingOff } from '../wait.ts'
import type { PollAlert } from './poll-alert.ts'
import type { PageProgress } from './poll-inbox.ts'
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
 * `counts` has what is stored even where a later page fails. The next page is on its way while one
 * is stored, but its cursor is kept only with its events.
 */
export async function readStream(
  cursor: string | null,
  { place, counts, signal }: { place: PollPlace; counts: ReadCounts; signal: AbortSignal },
): Promise<{ isCursorLost: boolean }> {
  let sent = cursor
  try {
    await follow({})
    return { isCursorLost: false }
  } catch (error) {
    // Without a cursor it is the filter that is refused.
    if (sent === null || !isRefused(error)) throw error
    place.alerts.raise(cursorLost)
    sent = null
    await follow({ gapCode: error.code })
    return { isCursorLost: true }
  }

  function follow(first: Partial<PageProgress>): Promise<void> {
    return breakingOff([signal], async (own) => {
      const get = (next: string | null) =>
        getPage(place, next, { limit: pageLimit(next, first), signal: own.signal })
      let more = first
      for (let fetching: Promise<Page<ApiEvent>> | null = get(sent); fetching;) {
        const page: Page<ApiEvent> = await fetching
        const leadsOn = page.hasMore && page.cursor !== sent
        fetching = leadsOn ? get(page.cursor) : null
        // Where storing fails first, nobody waits for this one.
        fetching?.catch(() => {})
        const { stored, revised } = await storePage(page, sent, place, more)
        counts.pages += 1
        counts.stored += stored
        counts.revised += revised
        checkLeadsOn(page, sent)
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
  const page = await getPage(place, null, { limit, signal })
  await storePage(page, null, place, { isSweep: true, cursor: null })
}

function pageLimit(cursor: string | null, { gapCode }: Partial<PageProgress>): number {
  // After a lost cursor the head should reach back as far as it can.
  return cursor === null && gapCode === undefined ? firstLimit : limit
}

function getPage(
  { client, filter }: PollPlace,
  cursor: string | null,
  options: Pick<EventsOptions, 'limit' | 'signal'>,
): Promise<Page<ApiEvent>> {
  return client.eventPage({ ...filter, ...options, cursor, maxWaitMs })
}

async function storePage(
  page: Page<ApiEvent>,
  sentCursor: string | null,
  place: PollPlace,
  progress: Partial<PageProgress>,
): Promise<{ stored: number; revised: number }> {
  const { inbox, stream, holder, now, expects, alerts } = place
  const events = page.items.map(toFeedEvent)
  // Without a cursor pages have the newest events first, and with one the oldest.
  if (sentCursor === null) events.reverse()
  const { unreadable, cursor, hasMore, usage } = page
  const stored = await place.hold(() =>
    inbox.acceptPage(events, {
      stream,
      holder,
      at: new Date(now()),
      cursor,
      hasMore,
      usage,
      expects,
      unreadable,
      ...progress,
    }),
  )
  if (unreadable.length > 0 && progress.isSweep !== true) {
    alerts.raise({
      code: 'unreadable_events',
      message:
        'Something on a page of the feed is no event that this version can read. It is in ' +
        'quarantine; update this package, or tell the service.',
    })
  }
  return stored
}

function isRefused(error: unknown): error is ClientError {
  return error instanceof ClientError && error.code === 'invalid_request'
}
