import type { FeedEvent } from '@feed-receiver/core'
import { toFeedEvent, type ApiEvent } from '../api/index.ts'
import { ClientError } from '../errors.ts'
import { followPages, type Page } from '../read-page.ts'
import { dateIn, hold, withAbort } from '../wait.ts'
import { nextPollMs } from './plan-wait.ts'
import type { PageProgress, PollAlert } from './poller-options.ts'
import type { PollContext } from './poll-context.ts'

/** How much one read of a stream has stored. */
export interface ReadCounts {
  pages: number
  /** New events. */
  stored: number
  /** Known events whose content has changed. */
  revised: number
}

/** For the very first page; later pages are as large as possible, because each costs a request. */
const firstLimit = 50
const limit = 200

/**
 * The reader holds its lease during a shorter wait. It stores the time of a longer one and releases
 * the lease.
 */
const maxWaitMs = 5_000

/**
 * Reads a stream from a cursor, or from its head, until there is no more, and stores it page by
 * page. `counts` includes the stored pages even if a later page fails. A cursor is stored only
 * together with its events.
 */
export async function readStream(
  context: PollContext,
  cursor: string | null,
  counts: ReadCounts,
  signal: AbortSignal,
): Promise<{ isCursorLost: boolean }> {
  const { client, filter } = context
  let sent = cursor
  try {
    await follow({})
    return { isCursorLost: false }
  } catch (error) {
    if (!isCursorRejected(error)) throw error
    context.alerts.raise(cursorLost)
    sent = null
    await follow({ gapCode: 'invalid_request' }).catch((again: unknown) => {
      // The next round begins again, and waits before it does.
      if (!isCursorRejected(again)) throw again
    })
    return { isCursorLost: true }
  }

  // Without a cursor, it is the filter that the service rejects.
  function isCursorRejected(cause: unknown): boolean {
    return sent !== null && cause instanceof ClientError && cause.code === 'invalid_request'
  }

  function follow(first: Partial<PageProgress>): Promise<void> {
    return withAbort([signal], async (own) => {
      // After a lost cursor the head should reach back as far as possible.
      const headLimit = first.gapCode === undefined ? firstLimit : limit
      const getPage = async (next: string | null) => {
        const wanted = { cursor: next, limit: next === null ? headLimit : limit }
        const page = await client.eventPage({ ...filter, ...wanted, signal: own.signal, maxWaitMs })
        return readyPage(page, next)
      }
      let more = first
      const idsOf = ({ events }: ReadyPage) => events.map(({ id }) => id)
      const options = { isAhead: true, idsOf, progress: context.progress }
      for await (const page of followPages(sent, getPage, options)) {
        const { stored, revised } = await storePage(page, context, more)
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
    'The service rejected the stored cursor, so the poller starts again from the newest events. ' +
    'Events in between may be missing; inbox.gaps.streams() says since when.',
}

/**
 * Reads the head of the feed again, and leaves the cursor unchanged. Resolves with the number of its
 * items that are in quarantine.
 */
export async function rereadHead(context: PollContext, signal: AbortSignal): Promise<number> {
  const page = await context.client.eventPage({ ...context.filter, limit, signal, maxWaitMs })
  const progress = { isReread: true, cursor: null }
  return (await storePage(readyPage(page, null), context, progress)).quarantined
}

interface ReadyPage extends Omit<Page<ApiEvent>, 'items'> {
  /** Oldest first. */
  events: FeedEvent[]
}

function readyPage({ items, ...page }: Page<ApiEvent>, sentCursor: string | null): ReadyPage {
  const events = items.map(toFeedEvent)
  // Pages have the newest events first without a cursor, and the oldest first with one.
  if (sentCursor === null) events.reverse()
  return { ...page, events }
}

async function storePage(
  { events, ...page }: ReadyPage,
  context: PollContext,
  progress: Partial<PageProgress>,
): Promise<{ stored: number; revised: number; quarantined: number }> {
  const { inbox, stream, holder, clock, expects, alerts } = context
  const at = new Date(clock.now())
  const nextAt = page.hasMore ? null : dateIn(nextPollMs(context), clock)
  const { quarantined = page.unreadable.length, ...counts } = await hold(clock, () =>
    inbox.acceptPage(events, { ...page, stream, holder, at, nextAt, expects, ...progress }),
  )
  if (quarantined > 0) alerts.raise(unreadable)
  return { ...counts, quarantined }
}

const unreadable: PollAlert = {
  code: 'unreadable_events',
  message:
    'The feed has an item that this version cannot read as an event, or that the database rejects. ' +
    'It is in quarantine. Update this package, or report it to the service.',
}
