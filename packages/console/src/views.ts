import { quarantineReasons } from '@feed-receiver/core/internal'
import {
  findNotified,
  fixOfStream,
  fixOfUnlisted,
  quarantineStates,
} from '@feed-receiver/inbox/internal'
import type {
  Activity,
  HealthProblemCode,
  Inbox,
  InboxHealth,
  PauseRow,
  RejectionRow,
} from '@feed-receiver/inbox'
import { type withContext } from '@feed-receiver/inbox/extend'
import { z } from 'zod'
import { describeRejections, isOfStrangers } from './describe-rejections.ts'
import { filter, oneOf, page, read, text, whole } from './query.ts'
import { Rejection } from './rejection.ts'

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
> &
  Parameters<typeof withContext>[0]

interface ConsoleAlert {
  id: number
  rule: string
  /** The type, secret, stream or problem that it is about. */
  subject?: string
  message: string
  fix: string
  /** Whether only alerts find its problem, and the health never does. */
  isOptional: boolean
  openedAt: string
  /** Null while it is open. */
  closedAt: string | null
}

/** The alerts of an inbox, as `createAlerts` of `@feed-receiver/operate/alerts` has them. */
export interface ConsoleAlerts {
  list(): Promise<ConsoleAlert[]>
}

/** Returns a view, which reads its query and answers it. */
function view<Query extends z.ZodType, Answer extends object>(
  query: Query,
  show: (
    inbox: ConsoleInbox,
    query: z.output<Query>,
    alerts: ConsoleAlerts | undefined,
  ) => Promise<Answer>,
) {
  return async (inbox: ConsoleInbox, given: object, alerts?: ConsoleAlerts) =>
    await show(inbox, read(query, given), alerts)
}

const nothing = z.object({})
const feedQuery = page.extend({ kind: oneOf(['missed', 'pull_only']), hours: whole })

/** The views of the page, by the names of their calls. */
export const views = {
  overview: view(z.object({ hours: whole }), showOverview),
  entries: view(filter.extend(page.shape), (inbox, query) => inbox.entries.list(query)),
  count: view(filter, (inbox, query) => inbox.entries.count(query)),
  facets: view(nothing, (inbox) => inbox.entries.facets()),
  entry: view(z.object({ id: text }), showEntry),
  quarantine: view(
    page.extend({ state: oneOf(quarantineStates), reason: oneOf(quarantineReasons) }),
    (inbox, query) => inbox.quarantined.list(query),
  ),
  quarantined: view(z.object({ id: whole }), showQuarantined),
  feed: view(feedQuery, showFeed),
  secrets: view(nothing, async (inbox) => ({ secrets: await inbox.secrets() })),
  pauses: view(nothing, async (inbox) => ({ pauses: await inbox.pauses() })),
}

export type ViewName = keyof typeof views

export type ViewAnswer<Name extends ViewName> = Awaited<ReturnType<(typeof views)[Name]>>

async function showOverview(
  inbox: ConsoleInbox,
  { hours = 24 }: { hours?: number | undefined },
  given: ConsoleAlerts | undefined,
) {
  const health = await inbox.health()
  if (health.database === 'down') return { ...unread, health }
  const codes = [...health.problems, ...health.warnings].map(({ code }) => code)
  const orElse = partsOf(health)
  const [errors, activity, { operations }, all, listed] = await Promise.all([
    orElse(inbox.entries.errors(), []),
    orElse<Activity | null>(inbox.activity({ hours }), null),
    orElse(inbox.operations({ limit: 6 }), { operations: [], next: null }),
    orElse(inbox.rejections(), []),
    orElse(given?.list() ?? Promise.resolve([]), []),
  ])
  const open = listed.filter(({ closedAt }) => closedAt === null)
  const isPaused = health.warnings.some(({ code }) => code === 'deliveries_rejected')
  // Before the first delivery, the service itself may sign with another secret.
  const isCalm = !isPaused && activity !== null && activity.lastDeliveryAt !== null
  const isStranger = (row: RejectionRow) => isCalm && isOfStrangers(row)
  const rejections = describeRejections(all.filter((row) => !isStranger(row)))
  const strangers = describeRejections(all.filter(isStranger))
  // Each with the code of the problem that it notifies of; null if the health does not list it.
  const alerts = open.map((alert) => {
    const problem = findNotified(codes, alert)
    return { ...alert, problem, ...(problem === null && { fix: fixOfUnlisted(alert) }) }
  })
  return { health, errors, activity, operations, rejections, strangers, alerts }
}

/** The problems with which other parts of a view may fail, too. */
const unreadable = new Set<HealthProblemCode>([
  'tables_unreadable',
  'queue_down',
  'side_unreadable',
  'pool_exhausted',
])

/** Leaves parts of a view empty that cannot be read, if the health says that this may happen. */
function partsOf({ problems, warnings }: InboxHealth) {
  const isPartial = [...problems, ...warnings].some(({ code }) => unreadable.has(code))
  return async <Part>(part: Promise<Part>, empty: Part): Promise<Part> =>
    isPartial ? await part.catch(() => empty) : await part
}

/** What the overview has beside the health while the database is down. */
const unread = {
  errors: [],
  activity: null,
  operations: [],
  rejections: [],
  strangers: [],
  alerts: [],
}

/** One entry, the actions on it, and the pauses that it waits for. */
async function showEntry(inbox: ConsoleInbox, { id: eventId = '' }: { id: string | undefined }) {
  const entry = await inbox.entries.get(eventId)
  if (!entry) throw new Rejection(404, 'no_entry', 'No entry has this event id.')
  const { operations } = await inbox.operations({ eventId, limit: 20 })
  const pauses = entry.state === 'received' ? await inbox.pauses() : []
  const isIts = ({ type }: PauseRow) => type === null || type === entry.type
  return { entry, operations, pauses: pauses.filter(isIts) }
}

/** One delivery in quarantine, with the stored event of the same id. */
async function showQuarantined(inbox: ConsoleInbox, { id = 0 }: { id?: number | undefined }) {
  const quarantined = await inbox.quarantined.get(id)
  if (!quarantined)
    throw new Rejection(404, 'not_quarantined', 'No quarantined delivery has this number.')
  const { eventId } = quarantined
  const entry = eventId === null ? null : await inbox.entries.get(eventId)
  if (!entry) return { quarantined, stored: null }
  const { bodyBase64, sha256, receivedAt } = entry
  return { quarantined, stored: { eventId: entry.eventId, bodyBase64, sha256, receivedAt } }
}

/** Rejections, the progress of pull, lost cursors, and events that push missed. */
async function showFeed(
  inbox: ConsoleInbox,
  { kind = 'missed', hours = 24, ...where }: z.output<typeof feedQuery>,
) {
  const health = await inbox.health()
  const orElse = partsOf(health)
  const [restarts, gaps, rejections] = await Promise.all([
    orElse(inbox.gaps.streams(), []),
    orElse(inbox.gaps.list({ kind, ...where }), { gaps: [], next: null }),
    orElse(inbox.rejections({ hours }).then(describeRejections), []),
  ])
  const { gaps: counts, streams, warnings } = health
  const silent = warnings.filter(({ code }) => code === 'pull_silent')
  return { counts, streams: (streams ?? []).map(withFix), silent, restarts, gaps, rejections }
}

type PollStream = NonNullable<InboxHealth['streams']>[number]

/** A stream with what to do if it waits or is suspended. */
function withFix(stream: PollStream): PollStream & { fix: string | null } {
  return { ...stream, fix: stream.code === null ? null : fixOfStream(stream.code) }
}
