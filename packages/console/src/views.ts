import { quarantineStates, type Inbox } from '@feed-receiver/inbox'
import { readFilter, readNumber, readOneOf, readPage, type Say } from './query.ts'
import { Refusal } from './refusal.ts'

/** What the console needs of an inbox. */
export type ConsoleInbox = Pick<
  Inbox<never>,
  'entries' | 'quarantined' | 'secrets' | 'operations' | 'activity' | 'health' | 'gaps'
>

type View = (inbox: ConsoleInbox, say: Say) => Promise<object>

/** What the page can look at, by the name of its call. */
export const views = {
  overview: showOverview,
  entries: (inbox, say) => inbox.entries.list({ ...readFilter(say), ...readPage(say) }),
  count: (inbox, say) => inbox.entries.count(readFilter(say)),
  facets: (inbox) => inbox.entries.facets(),
  entry: showEntry,
  quarantine: (inbox, say) => {
    const state = readOneOf('state', quarantineStates, say)
    return inbox.quarantined.list({ state, ...readPage(say) })
  },
  quarantined: showQuarantined,
  feed: showFeed,
  secrets: async (inbox) => ({ secrets: await inbox.secrets() }),
} satisfies Record<string, View>

export type ViewName = keyof typeof views

export type ViewAnswer<Name extends ViewName> = Awaited<ReturnType<(typeof views)[Name]>>

async function showOverview(inbox: ConsoleInbox, say: Say) {
  const hours = readNumber('hours', say) ?? 24
  const [health, activity, { operations }] = await Promise.all([
    inbox.health(),
    inbox.activity({ hours }),
    inbox.operations({ limit: 6 }),
  ])
  return { health, activity, operations }
}

/** One entry, and what people have done to it. */
async function showEntry(inbox: ConsoleInbox, say: Say) {
  const eventId = say('id') ?? ''
  const entry = await inbox.entries.get(eventId)
  if (!entry) throw new Refusal(404, 'no_entry', 'There is no entry of an event with this id.')
  const { operations } = await inbox.operations({ eventId, limit: 20 })
  return { entry, operations }
}

/** One row of quarantine, beside the stored event whose id it has. */
async function showQuarantined(inbox: ConsoleInbox, say: Say) {
  const quarantined = await inbox.quarantined.get(readNumber('id', say) ?? 0)
  if (!quarantined) throw new Refusal(404, 'not_quarantined', 'There is no such row in quarantine.')
  const { eventId } = quarantined
  const entry = eventId === null ? null : await inbox.entries.get(eventId)
  if (!entry) return { quarantined, stored: null }
  const { bodyBase64, sha256, receivedAt } = entry
  return { quarantined, stored: { eventId: entry.eventId, bodyBase64, sha256, receivedAt } }
}

/** How far pull has read, when cursors were lost, and what push never brought. */
async function showFeed(inbox: ConsoleInbox, say: Say) {
  const kind = readOneOf('kind', ['missed', 'pull_only'], say) ?? 'missed'
  const [{ gaps: counts, streams }, restarts, gaps] = await Promise.all([
    inbox.health(),
    inbox.gaps.streams(),
    inbox.gaps.list({ kind, ...readPage(say) }),
  ])
  return { counts, streams: streams ?? [], restarts, gaps }
}
