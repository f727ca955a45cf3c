import { describe, expect, it, vi } from 'vitest'
import { readPackages } from '../check/workspaces.ts'

// The same for every runtime.
const core = [
  'FeedReceiverError',
  'afterStatus',
  'causeOf',
  'codeOf',
  'createReceiver',
  'errorWithCode',
  'fingerprintOf',
  'fromFetch',
  'isError',
  'knownTypes',
  'noteEvent',
  'optionCheck',
  'parseEvent',
  'parseSignature',
  'pausingStatuses',
  'quarantineReasons',
  'reasons',
  'recognizeCopies',
  'redact',
  'secretProblem',
  'secretsFromEnv',
  'signatureHeader',
  'statuses',
  'toFetch',
  'withoutSecrets',
]

/** The exports of each entry except types, so that a new or missing name is detected. */
const exported: Record<string, string[]> = {
  '@feed-receiver/client': [
    'ClientError',
    'createClient',
    'createPoller',
    'rememberAnswers',
    'systemClock',
  ],
  '@feed-receiver/client/api': [
    'accountEventAnswerSchema',
    'accountEventContract',
    'accountEventPageSchema',
    'accountEventSchema',
    'accountEventTypes',
    'accountEventsContract',
    'accountSubjectTypes',
    'apiErrorSchema',
    'apiEventSchema',
    'confirmationStates',
    'deprecationSchema',
    'eventPageSchema',
    'eventRefPattern',
    'feedEventSchema',
    'incidentPhases',
    'incidentSchema',
    'integrityStates',
    'modelCheckSchema',
    'readSourceTime',
    'sourcePrecisions',
    'timelineItemSchema',
    'toFeedEvent',
    'usageSchema',
  ],
  '@feed-receiver/core': core,
  '@feed-receiver/core/web': core,
  '@feed-receiver/core/node': [
    'fromLambda',
    'fromNode',
    'isSameSecret',
    'keepRawBody',
    'pageHeaders',
    'readPageFile',
    'systemClock',
    'toLambda',
    'toNodeHandler',
  ],
  '@feed-receiver/core/testing': ['checkMark', 'memoryInbox', 'signDelivery'],
  '@feed-receiver/console': ['ConsoleError', 'accessFromEnv', 'createConsole'],
  '@feed-receiver/database': [
    'DatabaseError',
    'createGroupCommit',
    'isInTxSql',
    'markTxSql',
    'migrationSql',
    'openDatabase',
    'readTarget',
    'untilAvailable',
  ],
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
    'findDatabaseWarnings',
    'drizzleTransaction',
    'entryStates',
    'findHandler',
    'inboxSql',
    'kyselyTransaction',
    'listedStates',
    'quarantineStates',
    'storedDeliveries',
  ],
  '@feed-receiver/inbox/extend': [
    'cleanText',
    'entryConditions',
    'extendInbox',
    'findNotified',
    'hasTimedOut',
    'isoTime',
    'limitsOf',
    'openStore',
    'readAlertInputs',
    'readEntry',
    'refuseControl',
    'registerExtension',
    'repeat',
    'reportTo',
    'storedProblems',
    'warnOfTypes',
    'withContext',
    'withTimeout',
  ],
  '@feed-receiver/inbox/metrics': ['metricsHandler'],
  '@feed-receiver/inbox/testing': ['untilIdle'],
  '@feed-receiver/operate/alerts': [
    'OperateError',
    'alertRules',
    'alertTables',
    'createAlerts',
    'toSlack',
    'toStderr',
    'toWebhook',
  ],
  '@feed-receiver/operate/audit': ['OperateError', 'auditInbox', 'auditTables', 'createAudit'],
  '@feed-receiver/operate/rehearse': ['OperateError', 'rehearse', 'reproduce', 'runReproduction'],
  '@feed-receiver/sandbox': ['Rejection', 'SandboxError', 'createSandbox'],
  '@feed-receiver/sender': [
    'SenderError',
    'checkAddress',
    'checkTarget',
    'classify',
    'createSender',
    'findRedirect',
    'fixture',
    'fixtures',
    'maxAttempts',
    'probeTarget',
    'retryDelayMs',
    'systemClock',
    'virtualClock',
  ],
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
  '@feed-receiver/shards': [
    'ShardError',
    'citusDatabase',
    'placeOnCitus',
    'readShards',
    'shardInbox',
  ],
  'feed-receiver': ['devPage', 'explainDelivery', 'renderTable', 'runChecks'],
}

describe('entries', () => {
  it('are all listed here', () => {
    const entries = [...readPackages().values()].flatMap(({ manifest }) =>
      Object.keys(manifest.exports ?? {}).map((path) => manifest.name + path.slice(1)),
    )
    expect(Object.keys(exported).toSorted()).toEqual(entries.toSorted())
  })

  it.each(Object.entries(exported))('%s has the listed exports', async (entry, names) => {
    const module = (await import(entry)) as object
    expect(Object.keys(module).toSorted()).toEqual(names.toSorted())
  })

  it('recognize the errors of a second copy of the package', async () => {
    const classesOf = async () => {
      const modules = await Promise.all(Object.keys(exported).map((entry) => import(entry)))
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
