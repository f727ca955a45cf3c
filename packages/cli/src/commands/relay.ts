import { codeOf } from '@feed-receiver/core'
import { openDatabase } from '@feed-receiver/database'
import { createInbox, storedDeliveries } from '@feed-receiver/inbox'
import type { StoredDeliveryTarget } from '@feed-receiver/inbox'
import { checkTarget, createSender } from '@feed-receiver/sender'
import { defineCommand, type Context } from '../command.ts'
import { problem } from '../errors.ts'
import { entryFilterOptions, readEntryFilter } from '../options/entry-options.ts'
import { isDatabaseUrl } from '../options/inbox-options.ts'
import { flag, parsed, text, type Values } from '../options/option.ts'
import { readSecret, readVariable, secretOptions } from '../options/secret-options.ts'
import { parseCount, parseUrl } from '../options/values.ts'
import { orUndefined } from '../or-undefined.ts'
import { many } from '../output/say-count.ts'
import { consoleSource } from '../relay/console-source.ts'
import { follow, type DeliverySource } from '../relay/follow.ts'
import { describeSummary, relayEach } from '../relay/relay-each.ts'

const maxLimit = 500

type InboxNames = Partial<Record<'tokenEnv' | 'source' | 'schema', string | undefined>>

export const relay = defineCommand('relay', {
  options: {
    from: text,
    to: parsed(parseUrl),
    ...entryFilterOptions,
    follow: flag,
    limit: parsed(parseLimit),
    dryRun: flag,
    allowPublic: flag,
    ...secretOptions,
    tokenEnv: text,
    source: text,
    schema: text,
  },
  async run({ operands: ids, options }, context) {
    const { out, signal } = context
    const { from = '', to, dryRun, limit = 50 } = options
    const isConsole = /^https?:/i.test(from)
    if (!isConsole && !isDatabaseUrl(from)) throw problem('usage', 'no_relay_source')
    if (!isConsole) hideUrl(from, context)
    if (to === undefined) throw problem('usage', 'no_receiver', { verb: 'relay' })
    if (!options.allowPublic && isPublic(to)) {
      throw problem('usage', 'public_target', { host: to.host })
    }
    const target = readTarget(ids, options)
    if (options.follow && (dryRun || ids.length > 0 || options.limit !== undefined)) {
      throw problem('usage', 'follow_alone')
    }
    const secret = dryRun ? undefined : readSecret(options, context)
    await using stored = isConsole ? openConsole(from, options, context) : openInbox(from, options)
    if (options.follow && secret !== undefined) {
      await using sender = createSender({ secret })
      out.note('Waiting for new events. Stop with Ctrl-C.')
      const live = follow(stored, { filter: readEntryFilter(options), signal })
      const summary = await relayEach(live, { stored, sender, to, context })
      out.result({ kind: 'summary', ...summary }, describeSummary(summary))
      return summary.failed === 0 ? 0 : 1
    }
    const found = await stored.find(target, ids.length > 0 ? maxLimit : limit)

    const foundIds = new Set(found.map(({ eventId }) => eventId))
    const missing = ids.filter((id) => !foundIds.has(id))
    for (const id of missing) out.note(`No entry has the event id ${JSON.stringify(id)}.`)
    if (secret === undefined) {
      const lines = found.map(({ eventId, type }) => `${eventId}  ${type}`)
      out.result({ wouldSend: found }, ...lines, `${many(found.length, 'event')} would be sent.`)
      return missing.length > 0 ? 1 : 0
    }
    await using sender = createSender({ secret })
    const summary = await relayEach(found, { stored, sender, to, context })
    out.result({ kind: 'summary', ...summary }, describeSummary(summary))
    if (signal.aborted) return 130
    return summary.failed + summary.notSent + missing.length === 0 ? 0 : 1
  },
})

function readTarget(
  ids: string[],
  options: Values<typeof entryFilterOptions>,
): StoredDeliveryTarget {
  const filter = readEntryFilter(options)
  if (ids.length === 0) return { filter }
  if (ids.length > maxLimit) throw problem('usage', 'relay_ids', { most: maxLimit })
  if (Object.keys(filter).length > 0) throw problem('usage', 'ids_and_filter')
  return { ids }
}

function parseLimit(value: string, name: string): number {
  const limit = parseCount(value, name)
  if (limit <= maxLimit) return limit
  throw problem('usage', 'at_most', { name, most: maxLimit })
}

/** Whether the service would accept the address as a destination if it used TLS. */
function isPublic(to: URL): boolean {
  const secure = new URL(to)
  secure.protocol = 'https:'
  return orUndefined(() => checkTarget(secure)) !== undefined
}

/** Opens the inbox of a database read-only. */
function openInbox(url: string, { source = 'feed', schema = 'feed_inbox' }: InboxNames) {
  // Opens nothing, and rejects names that SQL does not allow.
  createInbox({ source, schema })
  const database = openDatabase(url, { isGuest: true, applicationName: 'feed-receiver relay' })
  const stored = storedDeliveries({ database, source, schema })
  const opened: DeliverySource & AsyncDisposable = {
    find: (target, limit) => stored.find(target, limit).catch(explain(schema)),
    bytesOf: stored.bytesOf,
    [Symbol.asyncDispose]: () => database.close(),
  }
  return opened
}

/** Reads from a console, with the token from an environment variable. */
function openConsole(from: string, { tokenEnv, source, schema }: InboxNames, context: Context) {
  if (source !== undefined || schema !== undefined) throw problem('usage', 'console_has_inbox')
  const url = parseUrl(from, '--from')
  if (url.protocol === 'http:' && isPublic(url)) {
    throw problem('usage', 'token_in_clear', { host: url.host })
  }
  const token = readVariable(tokenEnv ?? 'FEED_CONSOLE_TOKEN', context, 'no_console')
  return { ...consoleSource(url, token), async [Symbol.asyncDispose]() {} }
}

/** Redacts a database URL, and also its password alone, from the output. */
function hideUrl(url: string, { out }: Context): void {
  out.hide(url)
  const { password } = URL.canParse(url) ? new URL(url) : { password: '' }
  out.hide(password)
  out.hide(orUndefined(() => decodeURIComponent(password)) ?? '')
}

/** Reports a database without these tables as one without an inbox. */
function explain(schema: string) {
  return (error: unknown): never => {
    const code = codeOf(error)
    const isMissing = code === '42P01' || code === '3F000'
    throw isMissing ? problem('not_migrated', 'relay', { schema }, error) : error
  }
}
