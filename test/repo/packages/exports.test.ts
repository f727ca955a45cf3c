import { describe, expect, it, vi } from 'vitest'
import { readPackages } from '../check/workspaces.ts'

// The same for every runtime.
const core = [
  'FeedReceiverError',
  'causeOf',
  'createReceiver',
  'fingerprintOf',
  'fromFetch',
  'reasons',
  'secretsFromEnv',
  'toFetch',
]

/** The exports of each entry except types, so that a new or missing name is detected. */
const exported: Record<string, string[]> = {
  '@feed-receiver/client': [
    'ClientError',
    'createClient',
    'createPoller',
    'rememberAnswers',
    'toFeedEvent',
  ],
  '@feed-receiver/core': core,
  '@feed-receiver/core/web': core,
  '@feed-receiver/core/node': [
    'fromLambda',
    'fromNode',
    'isSameSecret',
    'keepRawBody',
    'toLambda',
    'toNodeHandler',
  ],
  '@feed-receiver/core/testing': ['checkMark', 'memoryInbox', 'signDelivery'],
  '@feed-receiver/console': ['accessFromEnv', 'createConsole'],
  '@feed-receiver/database': ['DatabaseError', 'openDatabase'],
  '@feed-receiver/express': ['keepRawBody', 'toExpress'],
  '@feed-receiver/fastify': ['toFastify'],
  '@feed-receiver/koa': ['toKoa'],
  '@feed-receiver/next': ['toNext'],
  '@feed-receiver/inbox': [
    'InboxError',
    'Permanent',
    'RetryAfter',
    'combineHandlers',
    'createInbox',
    'drizzleTransaction',
    'findHandler',
    'inboxSql',
    'kyselyTransaction',
    'storedDeliveries',
  ],
  '@feed-receiver/inbox/extend': ['extendInbox', 'withContext'],
  '@feed-receiver/inbox/metrics': ['metricsHandler'],
  '@feed-receiver/inbox/testing': ['untilIdle'],
  '@feed-receiver/operate/alerts': [
    'alertRules',
    'alertTables',
    'createAlerts',
    'toSlack',
    'toStderr',
    'toWebhook',
  ],
  '@feed-receiver/operate/audit': ['auditInbox', 'auditTables', 'createAudit'],
  '@feed-receiver/operate/rehearse': ['rehearse', 'reproduce', 'runReproduction'],
  '@feed-receiver/sandbox': ['createSandbox'],
  '@feed-receiver/sender': ['createSender', 'fixture', 'fixtures'],
  '@feed-receiver/sender/testing': [
    'deliver',
    'eventBuilders',
    'faults',
    'fixture',
    'fixtures',
    'isDamage',
    'readDeliveries',
    'recordDeliveries',
    'signDamaged',
    'testSecret',
    'virtualClock',
  ],
  '@feed-receiver/shards': ['citusDatabase', 'placeOnCitus', 'readShards', 'shardInbox'],
}

/** Packages that export the class of their errors only as a type. */
const withOwnErrors = ['console', 'operate', 'sandbox', 'sender', 'shards']

describe('entries', () => {
  it('are all listed here', () => {
    const entries = [...readPackages().values()].flatMap(({ manifest }) =>
      Object.keys(manifest.exports ?? {})
        .filter((path) => path !== './internal')
        .map((path) => manifest.name + path.slice(1)),
    )
    expect(Object.keys(exported).toSorted()).toEqual(entries.toSorted())
  })

  it('export at most 60 names, without those for tests', () => {
    const names = Object.entries(exported).flatMap(([entry, values]) =>
      entry.endsWith('/testing') ? [] : values,
    )
    expect(new Set(names).size).toBeLessThanOrEqual(60)
  })

  it.each(Object.entries(exported))('%s has the listed exports', async (entry, names) => {
    const module = (await import(entry)) as object
    expect(Object.keys(module).toSorted()).toEqual(names.toSorted())
  })

  it('recognize the errors of a second copy of the package', async () => {
    const classesOf = async () => {
      const files = withOwnErrors.map((name) => `../../../packages/${name}/src/errors.ts`)
      const paths = [...Object.keys(exported), ...files]
      const modules = await Promise.all(paths.map((path) => import(path)))
      const values = modules.flatMap((module: object) => Object.entries(module))
      return new Map(values.filter(([, value]) => isErrorClass(value)))
    }
    const first = await classesOf()
    vi.resetModules()
    const second = await classesOf()
    expect([...first.keys()]).toEqual(expect.arrayContaining(['InboxError', 'Permanent']))
    const unrecognized = [...second].filter(([name, copy]) => {
      const ours = first.get(name)
      return ours === undefined || !(Object.create(copy.prototype) instanceof ours)
    })
    expect(unrecognized).toEqual([])
    expect(second.get('Permanent')).not.toBe(first.get('Permanent'))
  })
})

function isErrorClass(value: unknown): value is new () => Error {
  return typeof value === 'function' && value.prototype instanceof Error
}
