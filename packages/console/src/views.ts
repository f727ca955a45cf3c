import { quarantineStates, type Inbox, type PauseRow } from '@feed-receiver/inbox'
import { readFilter, readNumber, readOneOf, readPage, type Say } from './query.ts'
import { Refusal } from './refusal.ts'

/** The part of an inbox that the console uses. */
export type ConsoleInbox = Pick<
  Inbox<never>,
  | 'entries'
  | 'quarantined'
  | 'secrets'
  | 'operations'
  | 'activity'
  | 'health'
  | 'gaps'
  | 'rejections'
  | 'pause'
  | 'resume'
  | 'pauses'
>

/** An alert that the overview shows. */
export interface ConsoleAlert {
  id: number
  rule: string
  message: string
  fix: string
  openedAt: string
  /** Null while it is open. */
  closedAt: string | null
}

/** The alerts of an inbox, as `createAlerts` of `@feed-receiver/operate/alerts` has them. */
export interface ConsoleAlerts {
  list(): Promise<ConsoleAlert[]>
}

type View = (inbox: ConsoleInbox, say: Say, alerts?: ConsoleAlerts) => Promise<object>

/** The views of the page, by the names of their calls. */
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
  pauses: async (inbox) => ({ pauses: await inbox.pauses() }),
} satisfies Record<string, View>

export type ViewName = keyof typeof views

export type ViewAnswer<Name extends ViewName> = Awaited<ReturnType<(typeof views)[Name]>>

async function showOverview(inbox: ConsoleInbox, say: Say, alerts?: ConsoleAlerts) {
  const hours = readNumber('hours', say) ?? 24
  const [health, activity, { operations }, rejections, listed = []] = await Promise.all([
    inbox.health(),
    inbox.activity({ hours }),
    inbox.operations({ limit: 6 }),
    inbox.rejections(),
    alerts?.list(),
  ])
  const open = listed.filter(({ closedAt }) => closedAt === null)
  return { health, activity, operations, rejections, alerts: open }
}

/** One entry, the actions on it, and the pauses that it waits for. */
async function showEntry(inbox: ConsoleInbox, say: Say) {
  const eventId = say('id') ?? ''
  const entry = await inbox.entries.get(eventId)
  if (!entry) throw new Refusal(404, 'no_entry', 'No entry has this event id.')
  const { operations } = await inbox.operations({ eventId, limit: 20 })
  const pauses = entry.state === 'received' ? await inbox.pauses() : []
  const isIts = ({ type }: PauseRow) => type === null || type === entry.type
  return { entry, operations, pauses: pauses.filter(isIts) }
}

/** One delivery in quarantine, with the stored event of the same id. */
async function showQuarantined(inbox: ConsoleInbox, say: Say) {
  const quarantined = await inbox.quarantined.get(readNumber('id', say) ?? 0)
  if (!quarantined)
    throw new Refusal(404, 'not_quarantined', 'No quarantined delivery has this number.')
  const { eventId } = quarantined
  const entry = eventId === null ? null : await inbox.entries.get(eventId)
  if (!entry) return { quarantined, stored: null }
  const { bodyBase64, sha256, receivedAt } = entry
  return { quarantined, stored: { eventId: entry.eventId, bodyBase64, sha256, receivedAt } }
}

/** Rejections, the progress of pull, lost cursors, and events that push missed. */
async function showFeed(inbox: ConsoleInbox, say: Say) {
  const kind = readOneOf('kind', ['missed', 'pull_only'], say) ?? 'missed'
  const [{ gaps: counts, streams }, restarts, gaps, rejections] = await Promise.all([
    inbox.health(),
    inbox.gaps.streams(),
    inbox.gaps.list({ kind, ...readPage(say) }),
    inbox.rejections({ hours: readNumber('hours', say) ?? 24 }),
  ])
  return { counts, streams: streams ?? [], restarts, gaps, rejections }
}
