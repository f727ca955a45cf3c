import { describe, expect, it } from 'vitest'
import { readPackages } from '../check/workspaces.ts'

/** What each entry exports beside types: a name that comes or goes shows up here. */
const exported: Record<string, string[]> = {
  '@feed-receiver/core': [
    'FeedReceiverError',
    'createReceiver',
    'feedEventSchema',
    'fingerprintOf',
    'fromFetch',
    'knownTypes',
    'noteEvent',
    'parseEvent',
    'signatureHeader',
    'statuses',
    'toFetch',
  ],
  '@feed-receiver/core/node': ['fromNode', 'keepRawBody', 'toNodeHandler'],
  '@feed-receiver/core/testing': ['memoryInbox', 'signDelivery'],
  '@feed-receiver/database': ['DatabaseError', 'migrationSql', 'openDatabase'],
  '@feed-receiver/express': ['keepRawBody', 'toExpress'],
  '@feed-receiver/fastify': ['toFastify'],
  '@feed-receiver/koa': ['toKoa'],
  '@feed-receiver/next': ['toNext'],
  '@feed-receiver/inbox': [
    'InboxError',
    'Permanent',
    'RetryAfter',
    'createInbox',
    'drizzleTransaction',
    'inboxSql',
    'kyselyTransaction',
  ],
  '@feed-receiver/sender': [
    'SenderError',
    'classify',
    'createSender',
    'fixture',
    'fixtures',
    'maxAttempts',
    'parseRetryAfter',
    'retryDelayMs',
    'systemClock',
    'virtualClock',
  ],
  'create-feed-receiver': ['main'],
  'feed-receiver': ['commands', 'explainDelivery'],
}

describe('entries', () => {
  it('are all listed here', () => {
    const entries = [...readPackages().values()].flatMap(({ manifest }) =>
      Object.keys(manifest.exports ?? {}).map((path) => manifest.name + path.slice(1)),
    )
    expect(Object.keys(exported).toSorted()).toEqual(entries.toSorted())
  })

  it.each(Object.entries(exported))('%s exports what it says', async (entry, names) => {
    const module = (await import(entry)) as object
    expect(Object.keys(module).toSorted()).toEqual(names.toSorted())
  })
})
