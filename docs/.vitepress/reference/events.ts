import { knownTypes } from '@feed-receiver/core/internal'
import { type FeedEvent, type KnownType } from '@feed-receiver/core'
import { fixture } from '@feed-receiver/sender'
import { eventTypes, families } from './event-types.ts'
import { code, page, table } from './markdown.ts'

/** The catalogue of event types, with the fixtures as examples. */
export function renderEvents(): string {
  const listed = Object.values(families).flat()
  const missing = knownTypes.filter((type) => !listed.includes(type))
  if (missing.length > 0) throw new Error(`No family lists ${missing.join(', ')}.`)
  return page(
    'Event catalogue',
    'Every event type that the service documents: when it comes, what to do, and an example.',
    envelope,
    '## Fields',
    'All types have the same fields. Show `title`, `summary` and `source_url` to people, and no text that you derive from `type`.',
    table(
      ['field', 'type', 'meaning'],
      fields.map(([name, type, about]) => [code(name), type, about]),
    ),
    'Type, evidence and category are open sets: the service may send values that this page does not list. The inbox stores them too.',
    ...Object.entries(families).map(renderFamily),
  )
}

const envelope = `Each type but \`destination_test\` is a key of your [handlers](./guides/handlers.md). An event without a handler is skipped and stays stored. To try a type, publish an event of it while \`feed-receiver dev\` runs:

\`\`\`sh
npx feed-receiver trigger outage_started
\`\`\`

The examples below are the fixtures of [@feed-receiver/sender](../packages/sender/README.md), so \`fixture('outage_started')\` returns the same event in your tests. Their providers are invented. The service documents the names of the types and the fields; when a type comes and what to do then follow from both.`

const fields: [name: string, type: string, about: string][] = [
  ['schema_version', 'text', '`1.0`'],
  ['id', 'text', 'the same in every delivery of the event, and in the pull API'],
  ['type', 'text', 'one of the types below, or a new one'],
  ['created_at', 'time', 'when the service first observed the event'],
  ['data.provider', 'text', 'the provider that the event is about'],
  ['data.category', 'text', 'such as `models` or `outages`'],
  [
    'data.subject',
    '`type` and `key`, or nulls',
    'what changed; events with the same key belong together',
  ],
  ['data.title', 'text', 'what happened, in one line'],
  ['data.summary', 'text or null', 'more about it'],
  [
    'data.evidence',
    'text',
    'how the source supports the event, such as `documented`, `api_listed` or `official_publication`',
  ],
  ['data.confirmation', 'text', '`confirmed`, or `unconfirmed` for an early signal'],
  ['data.source_url', 'URL', 'the original source; store it with everything that you derive'],
  ['data.source_published_at', 'time or null', 'when the source was published'],
  [
    'data.benchmark',
    '`current` and `previous`',
    'only in events about benchmarks; the service does not document the names inside',
  ],
]

function renderFamily([family, types]: [string, readonly KnownType[]]): string {
  return [`## ${family}`, ...types.map(renderType)].join('\n\n')
}

function renderType(type: KnownType): string {
  const { when, act } = eventTypes[type]
  return [
    `### ${type}`,
    when,
    `**What to do:** ${act}`,
    `\`\`\`json\n${JSON.stringify(inOrder(fixture(type)), null, 2)}\n\`\`\``,
  ].join('\n\n')
}

/** The members as a webhook carries them. */
function inOrder({ schema_version, id, type, created_at, data }: FeedEvent): object {
  return { schema_version, id, type, created_at, data }
}
