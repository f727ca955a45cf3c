import type { FeedEvent } from '@feed-receiver/core'
import type { Change, EntryState } from '@feed-receiver/inbox'
import type { InboxStore } from '@feed-receiver/inbox/extend'
import { isBehindSql, readEntry } from '@feed-receiver/inbox/internal'
import { OperateError } from '../errors.ts'
import { readResults } from '../rehearse/stored-events.ts'

/** One version of an event's content, as its handler got it. */
export interface Version {
  eventId: string
  /** When this content arrived. `receivedAt` is when the first content of the event arrived. */
  at: Date
  receivedAt: Date
  via: 'push' | 'pull'
  change: Change
  revision: number
  /** The signed body, if it has this content. */
  body: Uint8Array | null
  pull: FeedEvent | null
  /** Whether a handler has certainly finished it. */
  isCertain: boolean
  /** The stored results of the event's effects by key. */
  results: ReadonlyMap<string, unknown>
}

/** An event, and the versions that handlers got before it, in the order of arrival. */
export interface History {
  version: Version
  event: FeedEvent
  before: Version[]
  /** Whether earlier events of its subject were left out. */
  isCut: boolean
}

/** The maximum number of earlier events of a subject, and of revisions of each. */
const maxEvents = 50
const maxRevisions = 20

interface EntryRow extends Omit<Version, 'at' | 'isCertain' | 'results'> {
  id: number
  state: EntryState
  provider: string
  subjectType: string | null
  subjectKey: string | null
}

const columns = `
  id, event_id as "eventId", state, provider, subject_type as "subjectType",
  subject_key as "subjectKey", received_at as "receivedAt", via, change, revision, body, pull`

/** Reads an event with its history. Errors: `unknown_event`, `content_pruned`. */
export async function readHistory(context: InboxStore, eventId: string): Promise<History> {
  const { database, tables, source } = context
  const { rows } = await database.query<EntryRow>(
    `select ${columns} from ${tables.entry} left join ${tables.entryBody} on entry_id = id
     where source = $1 and event_id = $2`,
    [source, eventId],
  )
  const [entry] = rows
  if (!entry) throw unknownEvent(eventId)
  const event = readEntry(entry)
  if (!event) {
    const message = `The content of event ${eventId} is no longer stored, because prune deleted it. A backup of the database may have it.`
    throw new OperateError('content_pruned', message)
  }
  const earlier = await findEarlier(context, entry)
  const others = earlier.slice(0, maxEvents).toReversed()
  const ids = [entry, ...others].map(({ id }) => id)
  const revisions = await readRevisions(context, ids)
  const results = await readResults(context, ids)
  const readVersions = (one: EntryRow) =>
    versionsOf(one, revisions.get(one.id) ?? [], results.get(one.id) ?? new Map())
  const [version, ...own] = readVersions(entry)
  // Unless it is done, the current content of an entry has had no effect. Earlier content may have.
  const given = others.flatMap((one) => readVersions(one).slice(one.state === 'done' ? 0 : 1))
  const before = [...given, ...own].filter((one) => readEntry(one) !== null)
  return {
    version,
    event,
    before: before.toSorted((one, other) => one.at.getTime() - other.at.getTime()),
    isCut: earlier.length > maxEvents,
  }
}

/** Reads earlier events of the same subject, latest first, and one more than the maximum. */
async function findEarlier(context: InboxStore, entry: EntryRow): Promise<EntryRow[]> {
  const { database, tables, source } = context
  const { id, provider, subjectType, subjectKey } = entry
  if (subjectKey === null) return []
  const latestFirst = `order by received_at desc, id desc limit ${maxEvents + 1}`
  // Pending and ended ones apart, because they are in different indexes.
  const ofSubject = ['=', '<>'].map(
    (operator) => `(
       select * from ${tables.entry}
       where source = $1 and state ${operator} 'received'
         and ${isBehindSql(tables.entry, 'received_at', '<', '$2')}
         and provider = $3 and subject_type is not distinct from $4::text
         and subject_key = $5 and lower(subject_key) = lower($5)
       ${latestFirst}
     )`,
  )
  const { rows } = await database.query<EntryRow>(
    `select ${columns} from (${ofSubject.join(' union all ')}) entry
     left join ${tables.entryBody} on entry_id = id
     ${latestFirst}`,
    [source, id, provider, subjectType, subjectKey],
  )
  return rows
}

interface RevisionRow extends Pick<Version, 'via' | 'change' | 'revision' | 'pull'> {
  entryId: number
  replacedAt: Date
}

async function readRevisions({ database, tables }: InboxStore, ids: readonly number[]) {
  const { rows } = await database.query<RevisionRow>(
    `select entry_id as "entryId", via, change, revision, pull, replaced_at as "replacedAt"
     from (
       select *, row_number() over (partition by entry_id order by revision desc) as age
       from ${tables.entryRevision} where entry_id = any($1::bigint[])
     ) known
     where age <= ${maxRevisions} order by entry_id, revision`,
    [ids],
  )
  const found = new Map<number, RevisionRow[]>()
  for (const row of rows) found.set(row.entryId, [...(found.get(row.entryId) ?? []), row])
  return found
}

/** The current content of an entry, then its earlier content, latest first. */
function versionsOf(
  entry: EntryRow,
  revisions: readonly RevisionRow[],
  results: Version['results'],
): [Version, ...Version[]] {
  const { eventId, receivedAt } = entry
  const versionOf = (content: RevisionRow | EntryRow, before: RevisionRow | undefined): Version => {
    const { via, change, revision, pull } = content
    const at = before?.replacedAt ?? receivedAt
    const isSigned = pull === null || readEntry({ body: entry.body, pull }) !== pull
    const body = isSigned ? entry.body : null
    const about = { eventId, at, receivedAt, via, change, revision }
    return { ...about, body, pull, isCertain: true, results }
  }
  const earlier = revisions.flatMap((content, index): Version[] => {
    const next = revisions[index + 1] ?? entry
    // Content that still counts as new has replaced content that no handler finished.
    if (next.change === 'new') return []
    const isCertain = content.change === 'new' && next.change !== 'retraction'
    return [{ ...versionOf(content, revisions[index - 1]), isCertain }]
  })
  return [versionOf(entry, revisions.at(-1)), ...earlier.toReversed()]
}

export function unknownEvent(id: string): OperateError {
  const message = `No entry has the event id ${id}. Find the id in the list of entries.`
  return new OperateError('unknown_event', message)
}
