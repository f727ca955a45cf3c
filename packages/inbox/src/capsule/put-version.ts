import { noteEvent, parseEvent, type FeedEvent } from '@feed-receiver/core'
import { createAcceptGroup } from '../accept/accept.ts'
import type { Change } from '../entry/change.ts'
import { readEntry } from '../entry/read-entry.ts'
import { fill } from '../errors.ts'
import { acceptPage } from '../pull/accept-page.ts'
import { enqueueEntries } from '../queue/enqueue-entries.ts'
import type { InboxContext } from '../context.ts'
import json from './capsule-errors.json' with { type: 'json' }

/** One version of an event's content, as it arrived. */
export interface CapsuleVersion {
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
export function readContent({ signed, signedBase64, pulled }: CapsuleVersion): Content {
  const base64 = signedBase64 === undefined ? null : Buffer.from(signedBase64, 'base64')
  const body = signed === undefined ? base64 : Buffer.from(JSON.stringify(signed))
  const pull = pulled === undefined ? null : parse(Buffer.from(JSON.stringify(pulled)))
  if (body) parse(body)
  const event = readEntry({ body, pull })
  if (!event) throw new Error(json.no_content)
  return { event, body, pull }
}

function parse(body: Buffer): FeedEvent {
  const parsed = parseEvent(body)
  if ('event' in parsed) return parsed.event
  throw new Error(fill(json.no_event, parsed))
}

/**
 * Stores a version as the current one of its entry, with a due job and the results of its effects.
 * Returns the key of the entry. `attempts` is how often its handler was started before.
 */
export async function putVersion(
  context: InboxContext,
  version: CapsuleVersion,
  content: Content,
  handled: { done: Record<string, unknown>; attempts: number; isReplay: boolean },
): Promise<number> {
  const { database, tables, source } = context
  const { at, receivedAt = at, via, change, revision } = version
  const { event, body, pull } = content
  const { done, attempts, isReplay } = handled
  await store(context, content, new Date(receivedAt))
  return await database.tx(async (tx) => {
    const { rows } = await tx.query<{ id: number }>(
      `update ${tables.entry} set state = 'received', handled_at = null,
         via = $3, change = $4, revision = $5, is_replay = $6
       where source = $1 and event_id = $2 returning id`,
      [source, event.id, via, change, revision, isReplay],
    )
    const id = rows[0]?.id
    if (id === undefined) throw new Error(fill(json.not_stored, { id: event.id }))
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
    const ofEntry = `where data ->> 'entryId' = $1`
    await tx.query(`delete from ${tables.job} ${ofEntry}`, [String(id)])
    await enqueueEntries(tx, context, [id])
    await tx.query(`update ${tables.job} set retry_count = $2 ${ofEntry}`, [String(id), attempts])
    return id
  })
}

/** Stores an event by push or pull, as it arrived, unless it exists. */
async function store(context: InboxContext, { event, body, pull }: Content, receivedAt: Date) {
  if (!body) {
    if (pull) await acceptPage(context, [pull], { stream: 'capsule', at: receivedAt })
    return
  }
  const unsigned = { signedBy: '(capsule)', signedAt: receivedAt, headers: {}, receivedAt }
  const delivery = { ...unsigned, body, event, notes: noteEvent(event), doubt: null }
  await createAcceptGroup(context)(context.database, [delivery])
}
