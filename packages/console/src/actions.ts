import { quarantineReasons } from '@feed-receiver/core/internal'
import type { Reprocessed, RetryOptions, RetryTarget } from '@feed-receiver/inbox'
import type { Context } from 'hono'
import { stream } from 'hono/streaming'
import { z } from 'zod'
import type { Operator } from './access.ts'
import { filter, oneOf, read, text, type JsonObject } from './query.ts'
import { Rejection, toRejection } from './rejection.ts'
import type { ConsoleInbox } from './views.ts'

interface ActionContext {
  inbox: ConsoleInbox
  onError: (error: unknown) => void
  operator: Operator
  c: Context
}

/** Returns an action, which reads the body of its request. */
function action<Body extends z.ZodType>(
  body: Body,
  run: (context: ActionContext, input: z.output<Body>) => Promise<object | Response>,
) {
  return async (context: ActionContext, input: JsonObject) => await run(context, read(body, input))
}

/** A line of the response to a retry or reprocess: progress, the result, or an error. */
export type ProgressLine =
  | { count: number }
  | { done: true; count: number }
  | { error: string; code: string }

/** What a reprocessing would requeue. */
export type Reprocessable = Pick<Reprocessed, 'isExact' | 'emptied' | 'handledBefore'> & {
  count: number
}

const target = z.object({
  ids: z.custom<string[]>(isTexts).optional().catch(undefined),
  filter: z.object(filter.shape, 'use an object with filters, or send ids.').optional(),
})

/** Only a missing `types` means the whole inbox. */
const types = z.custom<string[]>(isTexts, 'use a list of event types, or leave it out.').optional()

const discardable = z.object({
  filter: z.object({ reason: oneOf(quarantineReasons), until: text }),
})

const one = z.object({ id: z.int('use the number of a quarantined delivery.') })

/** The actions of the page, by the names of their calls. */
export const actions = {
  countretriable: action(target, async ({ inbox }, input) => {
    const entries = await findTarget(inbox, input)
    return { count: await inbox.entries.retry(entries, { dryRun: true }) }
  }),
  countreprocessable: action(target, async ({ inbox }, input): Promise<Reprocessable> => {
    const entries = await findReprocessable(inbox, input)
    const { reprocessed, ...found } = await inbox.entries.reprocess(entries, { dryRun: true })
    return { count: reprocessed, ...found }
  }),
  retry: action(target, async (context, input) => {
    const entries = await findTarget(context.inbox, input)
    return reportProgress(context, (options) => context.inbox.entries.retry(entries, options))
  }),
  reprocess: action(
    target.extend({ effects: oneOf(['keep', 'again']), handledBefore: text }),
    async (context, { effects = 'keep', handledBefore, ...input }) => {
      const entries = await findReprocessable(context.inbox, input)
      return reportProgress(context, async (options) => {
        const limits = { ...options, effects, handledBefore }
        return (await context.inbox.entries.reprocess(entries, limits)).reprocessed
      })
    },
  ),
  release: action(one, async ({ inbox, operator }, { id }) => ({
    result: await inbox.quarantined.release(id, { by: operator.name }),
  })),
  countdiscardable: action(discardable, async ({ inbox }, input) => {
    const until = new Date().toISOString()
    const counted = { filter: { ...input.filter, until } }
    return { count: await inbox.quarantined.discard(counted, { dryRun: true }), until }
  }),
  discardall: action(discardable, async ({ inbox, operator }, input) => ({
    count: await inbox.quarantined.discard(input, { by: operator.name }),
  })),
  discard: action(one, async ({ inbox, operator }, { id }) => {
    await inbox.quarantined.discard(id, { by: operator.name })
    return { result: 'discarded' }
  }),
  pause: action(
    z.object({
      types,
      reason: z.string().catch(''),
      force: z.literal(true).optional().catch(undefined),
    }),
    async ({ inbox, operator }, { types: given, reason, force = false }) => {
      const input = { ...(given && { types: given }), reason, force, by: operator.name }
      return { paused: await inbox.pause(input) }
    },
  ),
  resume: action(z.object({ types }), async ({ inbox, operator }, { types: given }) =>
    inbox.resume({ ...(given && { types: given }), by: operator.name }),
  ),
}

/**
 * Streams progress after each transaction, a line of JSON each. Stops when the client disconnects.
 */
function reportProgress(
  { onError, operator, c }: ActionContext,
  start: (options: Pick<RetryOptions, 'by' | 'onProgress' | 'signal'>) => Promise<number>,
): Response {
  c.header('content-type', 'application/x-ndjson')
  // Proxies that buffer responses would hide the progress.
  c.header('x-accel-buffering', 'no')
  return stream(c, async (lines) => {
    const leaving = new AbortController()
    lines.onAbort(() => leaving.abort())
    const say = (line: ProgressLine) => lines.writeln(JSON.stringify(line))
    try {
      const count = await start({
        by: operator.name,
        onProgress: (sofar) => void say({ count: sofar }),
        signal: AbortSignal.any([c.req.raw.signal, leaving.signal]),
      })
      await say({ done: true, count })
    } catch (error) {
      const { message, code, status } = toRejection(error)
      if (status >= 500) onError(error)
      await say({ error: message, code })
    }
  })
}

/**
 * The page sends few ids, and has shown each entry. A missing one has been deleted since.
 *
 * @throws Rejection for entries that do not exist or cannot be handled.
 */
async function findTarget(
  { entries }: ConsoleInbox,
  { ids, filter: given }: z.output<typeof target>,
): Promise<RetryTarget> {
  if (!ids) {
    if (given) return { filter: given }
    throw new Rejection(400, 'bad_option', 'The entries are missing. Send `ids` or a `filter`.')
  }
  for (const id of ids.slice(0, 20)) {
    const entry = await entries.get(id)
    if (entry?.type === 'destination_test') {
      const reason = `${JSON.stringify(id)} is a test delivery (destination_test), which reaches no handler. It cannot be retried or reprocessed.`
      throw new Rejection(409, 'no_handler', reason)
    }
    if (entry) continue
    const reason = `No entry has the event id ${JSON.stringify(id)}. Reload the page, and search for the event.`
    throw new Rejection(404, 'unknown_event', reason)
  }
  return { ids }
}

/** Finds some entries, never all: a filter needs a member. */
async function findReprocessable(
  inbox: ConsoleInbox,
  input: z.output<typeof target>,
): Promise<RetryTarget> {
  const found = await findTarget(inbox, input)
  const values = Object.values(input.filter ?? {})
  const isAll = !input.ids && values.every((value) => value === undefined)
  if (!isAll) return found
  throw new Rejection(400, 'bad_option', 'Choose a filter first, such as a type or a time.')
}

function isTexts(value: unknown): boolean {
  return (
    Array.isArray(value) && value.every((each) => typeof each === 'string' && !each.includes('\0'))
  )
}
