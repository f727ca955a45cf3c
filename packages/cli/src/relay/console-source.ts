import { isError } from '@feed-receiver/core/internal'
import type { EntryFilter, StoredDelivery } from '@feed-receiver/inbox'
import { z } from 'zod'
import { CliError } from '../errors.ts'
import { parseJson } from '../or-undefined.ts'
import type { DeliverySource } from './relay-each.ts'

const pageSize = 500
const timeoutMs = 10_000

const delivery = z.object({
  id: z.number(),
  eventId: z.string(),
  type: z.string(),
  receivedAt: z.string(),
})
const entryPage = z.object({ entries: z.array(delivery), next: z.number().nullable() })
const entryView = z.object({ entry: delivery.extend({ bodyBase64: z.string().nullable() }) })
const rejection = z.object({ code: z.string() })

/**
 * Reads deliveries through the console of a deployed app, with GET requests and its token in
 * `Authorization`. Throws `no_console` for a wrong token, or if no console answers.
 */
export function consoleSource(url: URL, token: string): DeliverySource {
  const api = new URL('api/', url.href.endsWith('/') ? url : `${url.href}/`)

  return {
    async find(target, limit) {
      if (!('ids' in target)) return (await list(target.filter, limit)).toReversed()
      const found: StoredDelivery[] = []
      for (const id of target.ids) {
        const entry = await findEntry(id)
        if (entry) found.push(entry)
      }
      return found.toSorted((a, b) => Date.parse(a.receivedAt) - Date.parse(b.receivedAt))
    },
    async bytesOf({ eventId }) {
      const { bodyBase64 = null } = (await findEntry(eventId)) ?? {}
      return bodyBase64 === null ? null : Buffer.from(bodyBase64, 'base64')
    },
  }

  async function list(filter: EntryFilter, limit: number): Promise<StoredDelivery[]> {
    const found: StoredDelivery[] = []
    let after: number | null | undefined
    do {
      const size = Math.min(limit - found.length, pageSize)
      const page = await get('entries', { ...filter, after, limit: size }, entryPage)
      found.push(...(page?.entries ?? []))
      after = page?.next ?? null
    } while (after !== null && found.length < limit)
    return found
  }

  async function findEntry(id: string) {
    return (await get('entry', { id }, entryView))?.entry
  }

  /** Requests a view of the console; undefined if it has no such entry. */
  async function get<Schema extends z.ZodType>(
    view: string,
    query: Record<string, string | number | Date | null | undefined>,
    schema: Schema,
  ): Promise<z.infer<Schema> | undefined> {
    const asked = new URL(view, api)
    for (const [name, value] of Object.entries(query)) {
      if (value === undefined || value === null) continue
      asked.searchParams.set(name, value instanceof Date ? value.toISOString() : String(value))
    }
    const { status, answer } = await ask(asked)
    if (status === 401)
      throw new CliError(
        'no_console',
        `The console at ${url.href} rejects this token. Compare it with FEED_CONSOLE_TOKEN of the deployed app.`,
      )
    if (rejection.safeParse(answer).data?.code === 'no_entry') return undefined
    const read = schema.safeParse(answer)
    if (status !== 200 || !read.success) {
      throw new CliError(
        'no_console',
        `${url.href} answered ${status}, but not as a console of this version does. Use the URL at which the app mounts the console, such as https://app.example.com/console, or upgrade that app.`,
        read.error,
      )
    }
    return read.data
  }

  async function ask(asked: URL): Promise<{ status: number; answer: unknown }> {
    try {
      const response = await fetch(asked, {
        headers: { authorization: `Bearer ${token}` },
        // The token must not go to the target of a redirect.
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
      })
      const text = await response.text()
      return { status: response.status, answer: parseJson(text) }
    } catch (error) {
      const cause = isError(error) && isError(error.cause) ? error.cause : error
      const why = isError(cause) ? cause.message : String(cause)
      throw new CliError(
        'no_console',
        `The console at ${url.href} does not answer: ${why}. Check the URL and the network.`,
        error,
      )
    }
  }
}
