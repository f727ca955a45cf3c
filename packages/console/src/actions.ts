import type { Reprocessed, ReprocessOptions, RetryOptions, RetryTarget } from '@feed-receiver/inbox'
import type { Context } from 'hono'
import { stream } from 'hono/streaming'
import type { Operator } from './access.ts'
import { readFilter, readOneOf, sayFrom, type JsonObject } from './query.ts'
import { Refusal, toRefusal } from './refusal.ts'
import type { ConsoleInbox } from './views.ts'

interface ActionContext {
  inbox: ConsoleInbox
  onError: (error: unknown) => void
  operator: Operator
  /** The body of the request. */
  said: JsonObject
  c: Context
}

/** Returns the result as JSON, or a response of its own. */
type Action = (context: ActionContext) => Promise<object | Response>

/** A line of the response to a retry or reprocess: progress, the result, or an error. */
export type ReopenLine =
  | { count: number }
  | { done: true; count: number }
  | { error: string; code: string }

/** What a reprocessing would requeue. */
export type Reprocessable = Pick<Reprocessed, 'isExact' | 'emptied' | 'handledBefore'> & {
  count: number
}

/** The actions of the page, by the names of their calls. */
export const actions: Readonly<Record<string, Action>> = {
  countretriable: async ({ inbox, said }) => {
    const target = readTarget(said)
    await assertReopenable(inbox, target)
    return { count: await inbox.entries.retry(target, { dryRun: true }) }
  },
  countreprocessable: async ({ inbox, said }): Promise<Reprocessable> => {
    const target = readTarget(said)
    await assertReopenable(inbox, target)
    const { reprocessed, ...found } = await inbox.entries.reprocess(target, { dryRun: true })
    return { count: reprocessed, ...found }
  },
  retry: async (context) => {
    const target = readTarget(context.said)
    await assertReopenable(context.inbox, target)
    return tellProgress(context, (options) => context.inbox.entries.retry(target, options))
  },
  reprocess: async (context) => {
    const target = readTarget(context.said)
    const limits = readReprocess(context.said)
    await assertReopenable(context.inbox, target)
    return tellProgress(context, async (options) => {
      const { reprocessed } = await context.inbox.entries.reprocess(target, {
        ...options,
        ...limits,
      })
      return reprocessed
    })
  },
  release: async ({ inbox, operator, said }) => ({
    result: await inbox.quarantined.release(readId(said), { by: operator.name }),
  }),
  discard: async ({ inbox, operator, said }) => {
    await inbox.quarantined.discard(readId(said), { by: operator.name })
    return { result: 'discarded' }
  },
  pause: async ({ inbox, operator, said }) => {
    const reason = typeof said['reason'] === 'string' ? said['reason'] : ''
    const force = said['force'] === true
    const paused = await inbox.pause({ ...readTypes(said), reason, force, by: operator.name })
    return { paused }
  },
  resume: async ({ inbox, operator, said }) =>
    await inbox.resume({ ...readTypes(said), by: operator.name }),
}

/**
 * Streams progress after each transaction, a line of JSON each. Stops when the client disconnects.
 */
function tellProgress(
  { onError, operator, c }: ActionContext,
  reopen: (options: Pick<RetryOptions, 'by' | 'onProgress' | 'signal'>) => Promise<number>,
): Response {
  c.header('content-type', 'application/x-ndjson')
  // Proxies that buffer responses would hide the progress.
  c.header('x-accel-buffering', 'no')
  return stream(c, async (lines) => {
    const leaving = new AbortController()
    lines.onAbort(() => leaving.abort())
    const say = (line: ReopenLine) => lines.writeln(JSON.stringify(line))
    try {
      const count = await reopen({
        by: operator.name,
        onProgress: (sofar) => void say({ count: sofar }),
        signal: AbortSignal.any([c.req.raw.signal, leaving.signal]),
      })
      await say({ done: true, count })
    } catch (error) {
      const { message, code, status } = toRefusal(error)
      if (status >= 500) onError(error)
      await say({ error: message, code })
    }
  })
}

function readReprocess(said: JsonObject): Pick<ReprocessOptions, 'effects' | 'handledBefore'> {
  const say = sayFrom(said)
  const effects = readOneOf('effects', ['keep', 'again'], say) ?? 'keep'
  return { effects, handledBefore: say('handledBefore') }
}

function readTarget({ ids, filter }: JsonObject): RetryTarget {
  if (isTexts(ids)) return { ids }
  if (typeof filter === 'object' && filter !== null) {
    return { filter: readFilter(sayFrom(filter)) }
  }
  throw new Refusal(400, 'bad_option', 'The entries are missing. Send `ids` or a `filter`.')
}

/** The page sends few ids, and has shown each entry. A missing one has been deleted since. */
async function assertReopenable({ entries }: ConsoleInbox, target: RetryTarget): Promise<void> {
  for (const id of 'ids' in target ? target.ids.slice(0, 20) : []) {
    const entry = await entries.get(id)
    if (entry?.type === 'destination_test') {
      const text = `${JSON.stringify(id)} is a test delivery (destination_test), which reaches no handler. It cannot be retried or reprocessed.`
      throw new Refusal(409, 'no_handler', text)
    }
    if (entry) continue
    const text = `No entry has the event id ${JSON.stringify(id)}. Reload the page, and search for the event.`
    throw new Refusal(404, 'unknown_event', text)
  }
}

/** Only a missing `types` means the whole inbox. */
function readTypes({ types }: JsonObject): { types?: string[] } {
  if (types === undefined) return {}
  if (isTexts(types)) return { types }
  throw new Refusal(400, 'bad_option', 'types: use a list of event types, or leave it out.')
}

function isTexts(value: unknown): value is string[] {
  return (
    Array.isArray(value) && value.every((one) => typeof one === 'string' && !one.includes('\0'))
  )
}

function readId({ id }: JsonObject): number {
  if (typeof id === 'number' && Number.isSafeInteger(id)) return id
  throw new Refusal(400, 'bad_option', 'id: use the number of a quarantined delivery.')
}
