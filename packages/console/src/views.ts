import type {
  Activity,
  EntryDetails,
  GapCounts,
  GapPage,
  InboxHealth,
  OperationRow,
  QuarantinedDetails,
  StreamGapRow,
} from '@feed-receiver/inbox'
import type { ConsoleInbox } from './console-inbox.ts'
import {
  readFilter,
  readGapKind,
  readNumber,
  readPage,
  readQuarantineState,
  sayOf,
} from './query.ts'
import { Refusal } from './refusal.ts'

type View = (inbox: ConsoleInbox, parameters: URLSearchParams) => Promise<unknown>

/** What the overview shows. */
export interface OverviewAnswer {
  health: InboxHealth
  activity: Activity
  operations: OperationRow[]
}

/** One entry, and what people have done to it. */
export interface EntryAnswer {
  entry: EntryDetails
  operations: OperationRow[]
}

/** One row of quarantine, beside the stored event whose id it has. */
export interface QuarantinedAnswer {
  quarantined: QuarantinedDetails
  stored: Pick<EntryDetails, 'eventId' | 'bodyBase64' | 'sha256' | 'receivedAt'> | null
}

/** How far pull has read, and what push never brought. */
export interface FeedAnswer {
  counts: GapCounts | null
  streams: NonNullable<InboxHealth['streams']>
  /** When cursors were lost. */
  restarts: StreamGapRow[]
  gaps: GapPage
}

/** What the page can look at, by the name of its call. */
export const views: ReadonlyMap<string, View> = new Map<string, View>([
  ['overview', showOverview],
  ['entries', showEntries],
  ['count', (inbox, parameters) => inbox.entries.count(readFilter(sayOf(parameters)))],
  ['facets', (inbox) => inbox.entries.facets()],
  ['entry', showEntry],
  ['quarantine', showQuarantine],
  ['quarantined', showQuarantined],
  ['feed', showFeed],
  ['secrets', async (inbox) => ({ secrets: await inbox.secrets() })],
])

async function showOverview(inbox: ConsoleInbox, parameters: URLSearchParams) {
  const hours = readNumber('hours', sayOf(parameters)('hours')) ?? 24
  const [health, activity, { operations }] = await Promise.all([
    inbox.health(),
    inbox.activity({ hours }),
    inbox.operations({ limit: 6 }),
  ])
  return { health, activity, operations } satisfies OverviewAnswer
}

async function showEntries(inbox: ConsoleInbox, parameters: URLSearchParams) {
  const say = sayOf(parameters)
  return await inbox.entries.list({ ...readFilter(say), ...readPage(say) })
}

async function showEntry(inbox: ConsoleInbox, parameters: URLSearchParams) {
  const eventId = sayOf(parameters)('id') ?? ''
  const entry = await inbox.entries.get(eventId)
  if (!entry) throw new Refusal(404, 'no_entry', 'There is no entry of an event with this id.')
  const { operations } = await inbox.operations({ eventId, limit: 20 })
  return { entry, operations } satisfies EntryAnswer
}

async function showQuarantine(inbox: ConsoleInbox, parameters: URLSearchParams) {
  const say = sayOf(parameters)
  return await inbox.quarantined.list({ state: readQuarantineState(say), ...readPage(say) })
}

async function showQuarantined(inbox: ConsoleInbox, parameters: URLSearchParams) {
  const id = readNumber('id', sayOf(parameters)('id')) ?? 0
  const quarantined = await inbox.quarantined.get(id)
  if (!quarantined) throw new Refusal(404, 'not_quarantined', 'There is no such row in quarantine.')
  const { eventId } = quarantined
  const stored = eventId === null ? null : await inbox.entries.get(eventId)
  return { quarantined, stored: stored && pickStored(stored) } satisfies QuarantinedAnswer
}

async function showFeed(inbox: ConsoleInbox, parameters: URLSearchParams) {
  const say = sayOf(parameters)
  const [health, restarts, gaps] = await Promise.all([
    inbox.health(),
    inbox.gaps.streams(),
    inbox.gaps.list({ kind: readGapKind(say), ...readPage(say) }),
  ])
  return {
    counts: health.gaps,
    streams: health.streams ?? [],
    restarts,
    gaps,
  } satisfies FeedAnswer
}

function pickStored({ eventId, bodyBase64, sha256, receivedAt }: EntryDetails) {
  return { eventId, bodyBase64, sha256, receivedAt }
}
