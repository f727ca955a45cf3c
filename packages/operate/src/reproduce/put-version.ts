import { noteEvent, parseEvent } from '@feed-receiver/core/internal'
import { type FeedEvent } from '@feed-receiver/core'
import type { Change, Inbox } from '@feed-receiver/inbox'
import { readEntry } from '@feed-receiver/inbox/internal'
import { type InboxContext } from '@feed-receiver/inbox/extend'

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

/** The content of a version. */
export interface Content {
  event: FeedEvent
  body: Buffer | null
  pull: FeedEvent | null
}

/** Reads the content of a version. Throws if it is no event. */
export function readContent({ signed, signedBase64, pulled }: EventVersion): Content {
  const base64 = signedBase64 === undefined ? null : Buffer.from(signedBase64, 'base64')
  const body = signed === undefined ? base64 : Buffer.from(JSON.stringify(signed))
  const pull = pulled === undefined ? null : parse(Buffer.from(JSON.stringify(pulled)))
  if (body) parse(body)
  const event = readEntry({ body, pull })
  if (!event) throw new Error('A version has no content. Set `signed`, `signedBase64` or `pulled`.')
  return { event, body, pull }
}

function parse(body: Buffer): FeedEvent {
  const parsed = parseEvent(body)
  if ('event' in parsed) return parsed.event
  const { detail } = parsed
  throw new Error(`A version is not a valid event: ${detail}. Restore its original content.`)
}

/** How a version is handled. */
interface Handled {
  /** The stored results of its effects, by key. */
  done: Record<string, unknown>
  /** How often its handler was started before. */
  attempts: number
  isReprocessed: boolean
}

/** Stores a version as the current one of its entry, with a due job and the results of its effects. */
export async function putVersion(
  inbox: Inbox<never>,
  { database, tables, source }: InboxContext,
  version: EventVersion,
  { event, body, pull }: Content,
  { done, attempts, isReprocessed }: Handled,
): Promise<void> {
  const { at, receivedAt = at, via, change, revision } = version
  await store(inbox, { event, body, pull }, new Date(receivedAt))
  await database.tx(async (tx) => {
    const { rows } = await tx.query<{ id: number }>(
      `update ${tables.entry} set state = 'received', handled_at = null,
         via = $3, change = $4, revision = $5, is_reprocessed = $6
       where source = $1 and event_id = $2 returning id`,
      [source, event.id, via, change, revision, isReprocessed],
    )
    const id = rows[0]?.id
    if (id === undefined) {
      throw new Error(`The event ${event.id} could not be stored in the database of this test.`)
    }
    await tx.query(`update ${tables.entryBody} set body = $2, pull = $3 where entry_id = $1`, [
      id,
      body,
      pull,
    ])
    for (const [key, result] of Object.entries(done)) {
      await tx.query(
        `insert into ${tables.effect} (entry_id, key, outcome) values ($1, $2, $3)
         on conflict do nothing`,
        [id, key, JSON.stringify({ result })],
      )
    }
    await tx.query(
      `update ${tables.job} set state = 'created', retry_count = $2, start_after = now(),
         started_on = null, completed_on = null, output = null
       where data ->> 'entryId' = $1`,
      [String(id), attempts],
    )
  })
}

/** Ends a version that failed, so that a later one does not retry it. */
export async function endVersion(
  { database, tables, source }: InboxContext,
  { event }: Content,
): Promise<void> {
  await database.query(
    `with ended as (
       update ${tables.entry} set state = 'skipped', handled_at = now()
       where source = $1 and event_id = $2 returning id
     )
     update ${tables.job} set state = 'cancelled'
     where data ->> 'entryId' = (select id::text from ended)`,
    [source, event.id],
  )
}

/** Stores an event by push or pull, as it arrived, unless it exists. */
async function store(inbox: Inbox<never>, { event, body, pull }: Content, receivedAt: Date) {
  if (!body) {
    if (pull) await inbox.acceptPage([pull], { stream: 'reproduction', at: receivedAt })
    return
  }
  const unsigned = { signedBy: '(reproduction)', signedAt: receivedAt, headers: {}, receivedAt }
  await inbox.accept({ ...unsigned, body, event, notes: noteEvent(event), doubt: null })
}
