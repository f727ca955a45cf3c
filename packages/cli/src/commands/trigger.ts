import type { Destination } from '@feed-receiver/sandbox'
import { defineCommand, type Context } from '../command.ts'
import { callFeed, findFeed, type Feed } from '../dev/running-feed.ts'
import { UsageError } from '../errors.ts'
import { didYouMean, text } from '../options/option.ts'

export const trigger = defineCommand({
  options: {
    title: text('--title <text>', 'title of the event; otherwise it is generated'),
    provider: text('--provider <slug>', 'provider of the event; otherwise one is chosen'),
    sandbox: text(
      '--sandbox <link>',
      'link that dev or sandbox prints (FEED_SANDBOX_LINK, else the one that runs in this folder)',
    ),
  },
  notes: `
    The running dev or sandbox publishes a new event of this type, and delivers it to your app.
    Without a type, the command lists the types in a terminal or with --json.
  `,
  examples: [
    'feed-receiver trigger outage_started',
    'feed-receiver trigger model_release --title "A new model"',
  ],
  async run({ operands: [type], options }, context) {
    const { out } = context
    const feed = findFeed(options.sandbox, context)
    const { eventTypes } = await callFeed<{ eventTypes: string[] }>(feed, 'GET choices', context)
    if (type === undefined) return listTypes(eventTypes, context)
    if (!eventTypes.includes(type)) {
      const guess = didYouMean(type, eventTypes)
      throw new UsageError(
        `${JSON.stringify(type)} is no event type.${guess} The types are ${eventTypes.join(', ')}.`,
      )
    }
    const { title, provider: providerSlug } = options
    const event = await callFeed<{ id: string; title: string }>(
      feed,
      'POST compose-event',
      context,
      { eventType: type, title, providerSlug },
    )
    const published = { eventId: event.id, eventType: type, title: event.title }
    out.result(published, `Published ${type} ${event.id}: ${event.title}`)
    const reason = await whyNotDelivered(feed, context)
    if (reason !== undefined) out.hint(reason)
    return 0
  },
})

function listTypes(eventTypes: readonly string[], { out, canAsk }: Context): number {
  if (!canAsk && !out.isJson)
    throw new UsageError(`trigger needs a type: ${eventTypes.join(', ')}. See: trigger --help`)
  out.result({ eventTypes }, ...eventTypes)
  out.hint('\nPublish one of them: feed-receiver trigger outage_started')
  return 0
}

type Listed = Pick<Destination, 'state' | 'address' | 'pause'>

/** Why no destination receives the event; undefined if one does. */
async function whyNotDelivered(feed: Feed, context: Context): Promise<string | undefined> {
  const destinations = await callFeed<Listed[]>(feed, 'GET destinations', context)
  if (destinations.some(({ state }) => state === 'active')) return undefined
  const paused = destinations.find(({ state }) => state === 'paused')
  if (!paused) return 'No app receives the feed yet, so the event is not delivered. Start your app.'
  const { address, pause } = paused
  const status = pause?.status ?? null
  const cause = status === null ? '' : ` because it answered ${status}`
  return `The feed to ${address} is paused${cause}, so the event is not delivered. To resume, send a test delivery on the control page.`
}
