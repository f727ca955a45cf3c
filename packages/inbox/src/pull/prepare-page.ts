import type { FeedEvent } from '@feed-receiver/core'
import { pulledRows, writeRows, type PulledRow } from './pulled-row.ts'

/** The parts of a page that can be prepared before the transaction that stores it. */
export interface PreparedPage {
  rows: PulledRow[]
  /** The rows as JSON for the statement that stores them, each with its `position` from 1 on. */
  text: string
}

// The key is the array, so that a page is prepared once and forgotten together with its events.
const pages = new WeakMap<readonly FeedEvent[], PreparedPage>()

/** Prepares a page, so that `acceptPage` with the same array only has to run its statements. */
export function preparePage(events: readonly FeedEvent[]): void {
  try {
    preparedPage(events)
  } catch {
    // acceptPage gets the same error again, and quarantines the event that causes it.
  }
}

/** Returns the prepared page, or prepares it now. */
export function preparedPage(events: readonly FeedEvent[]): PreparedPage {
  const known = pages.get(events)
  if (known) return known
  const rows = pulledRows(events)
  const text = writeRows(rows, (_, index) => ({ position: index + 1 }))
  const page = { rows, text }
  pages.set(events, page)
  return page
}
