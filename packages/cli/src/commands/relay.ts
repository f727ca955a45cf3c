import { codeOf } from '@feed-receiver/core/internal'
import { openDatabase } from '@feed-receiver/database'
import { createInbox, storedDeliveries } from '@feed-receiver/inbox'
import { checkTarget } from '@feed-receiver/sender/internal'
import { createSender } from '@feed-receiver/sender'
import { defineCommand, type Context } from '../command.ts'
import { CliError, UsageError } from '../errors.ts'
import { entryFilterOptions, readEntryFilter, readEntryTarget } from '../options/entry-options.ts'
import { isDatabaseUrl } from '../options/inbox-options.ts'
import { flag, integer, parsed, required, text } from '../options/option.ts'
import { readSecret, readVariable, secretOptions } from '../options/secret-options.ts'
import { parseUrl, parseUrlWithoutCredentials } from '../options/values.ts'
import { orUndefined } from '../or-undefined.ts'
import { many } from '../output/words.ts'
import { consoleSource } from '../relay/console-source.ts'
import { follow, relayEach, type DeliverySource } from '../relay/relay-each.ts'

const maxLimit = 500

type InboxNames = Partial<Record<'tokenEnv' | 'source' | 'schema', string | undefined>>

export const relay = defineCommand({
  options: {
    from: text('--from <url>', 'PostgreSQL URL of the deployed inbox, or URL of its console'),
    to: required(parsed('--to <url>', 'URL of the app, http or https', parseUrl)),
    ...entryFilterOptions,
    follow: flag('--follow', 'send newly stored events, until Ctrl-C'),
    limit: integer('--limit <n>', 'send at most this many, the newest, up to 500 (50)', {
      most: maxLimit,
    }),
    dryRun: flag('--dry-run', 'list the events without sending them'),
    allowPublic: flag('--allow-public', 'allow a public address as the target'),
    ...secretOptions,
    tokenEnv: text(
      '--token-env <NAME>',
      'variable with the token of the console (FEED_CONSOLE_TOKEN)',
    ),
    source: text('--source <name>', 'name of the feed, as in createInbox (feed)'),
    schema: text('--schema <name>', 'schema of the inbox tables (feed_inbox)'),
  },
  notes: `
    The command sends the stored bytes of the events that the ids or the filter select: oldest
    first, one attempt each, signed with the secret of the local app. It reads the inbox in
    read-only transactions, or through GET requests to its console, and changes nothing there. A
    role with only SELECT privileges is enough. It stops if nothing answers, or at a status that
    pauses the destination. With --json, each attempt is a line, and the last line is the summary.
  `,
  examples: [
    'feed-receiver relay --from "$DEPLOYED_DATABASE_URL" --to http://localhost:3000/webhooks/feed --since 1h',
    'feed-receiver relay --from https://app.example.com/console --to http://localhost:3000/webhooks/feed --follow',
    'feed-receiver relay evt_123 --from "$DEPLOYED_DATABASE_URL" --to http://localhost:3000/webhooks/feed',
  ],
  async run({ operands: ids, options }, context) {
    const { out, signal } = context
    const { from = '', to, dryRun, limit = 50 } = options
    const isConsole = /^https?:/i.test(from)
    if (!isConsole && !isDatabaseUrl(from))
      throw new UsageError(
        'relay needs --from <url>, the PostgreSQL URL of the deployed inbox or the URL of its console.',
      )
    if (!isConsole) out.hide(from)
    if (!options.allowPublic && isPublic(to)) {
      throw new UsageError(
        `${to.host} is a public address, and these are real events. Use an app on this machine or in a private network, or add --allow-public.`,
      )
    }
    if (ids.length > maxLimit) {
      throw new UsageError(
        `relay accepts at most ${maxLimit} event ids at once. Split them over several runs.`,
      )
    }
    const target = readEntryTarget(ids, options)
    if (options.follow && (dryRun || ids.length > 0 || options.limit !== undefined)) {
      throw new UsageError(
        '--follow cannot be combined with event ids, --limit or --dry-run. Leave them out.',
      )
    }
    const secret = dryRun ? undefined : readSecret(options, context)
    await using stored = isConsole ? openConsole(from, options, context) : openInbox(from, options)
    const found = options.follow ? [] : await stored.find(target, ids.length > 0 ? maxLimit : limit)
    const foundIds = new Set(found.map(({ eventId }) => eventId))
    const missing = ids.filter((id) => !foundIds.has(id))
    for (const id of missing) out.note(`No entry has the event id ${JSON.stringify(id)}.`)
    if (secret === undefined) {
      const lines = found.map(({ eventId, type }) => `${eventId}  ${type}`)
      out.result({ wouldSend: found }, ...lines, `${many(found.length, 'event')} would be sent.`)
      return missing.length > 0 ? 1 : 0
    }
    await using sender = createSender({ secret })
    const live = options.follow && follow(stored, { filter: readEntryFilter(options), signal })
    if (live) out.note('Waiting for new events. Stop with Ctrl-C.')
    const { failed, notSent } = await relayEach(live || found, { stored, sender, to, context })
    if (live) return failed === 0 ? 0 : 1
    if (signal.aborted) return 130
    return failed + notSent + missing.length === 0 ? 0 : 1
  },
})

/** Whether the service would accept the address as a destination if it used TLS. */
function isPublic(to: URL): boolean {
  const secure = new URL(to)
  secure.protocol = 'https:'
  return orUndefined(() => checkTarget(secure)) !== undefined
}

function openInbox(url: string, { source = 'feed', schema = 'feed_inbox' }: InboxNames) {
  // Opens nothing, and rejects names that SQL does not allow.
  createInbox({ source, schema })
  const database = openDatabase(url, { isGuest: true, applicationName: 'feed-receiver relay' })
  const stored = storedDeliveries({ database, source, schema })
  const opened: DeliverySource & AsyncDisposable = {
    find: (target, limit) =>
      stored.find(target, limit).catch((error: unknown) => {
        if (!['42P01', '3F000'].includes(codeOf(error) ?? '')) throw error
        throw new CliError(
          'not_migrated',
          `This database has no inbox in the schema ${schema}. Use the database of the deployed app as --from, and its schema as --schema.`,
          error,
        )
      }),
    bytesOf: stored.bytesOf,
    [Symbol.asyncDispose]: () => database.close(),
  }
  return opened
}

function openConsole(from: string, { tokenEnv, source, schema }: InboxNames, context: Context) {
  if (source !== undefined || schema !== undefined)
    throw new UsageError('A console shows only one inbox. Leave --source and --schema out.')
  const url = parseUrlWithoutCredentials(from, '--from')
  if (url.protocol === 'http:' && isPublic(url)) {
    throw new UsageError(
      `${url.host} is a public address without TLS, so others could read the token. Use https.`,
    )
  }
  const token = readVariable(tokenEnv ?? 'FEED_CONSOLE_TOKEN', context, 'no_console')
  return { ...consoleSource(url, token), async [Symbol.asyncDispose]() {} }
}
