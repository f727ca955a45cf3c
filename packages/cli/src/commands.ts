import type { ListedVerb } from './command.ts'

const entries = () => import('./commands/inbox-entries.ts')
const requeue = () => import('./commands/inbox-requeue.ts')
const pauses = () => import('./commands/inbox-pauses.ts')
const quarantine = () => import('./commands/inbox-quarantine.ts')
const deliveries = () => import('./commands/inbox-deliveries.ts')
const health = () => import('./commands/inbox-health.ts')

const verbs: Record<string, readonly [summary: string, load: ListedVerb['load']]> = {
  'dev [url] [command...]': [
    'Run the feed service beside your app, deliver the feed to it, and show both on one page',
    async () => (await import('./commands/dev.ts')).dev,
  ],
  'trigger [type]': [
    'Publish an event in the dev or sandbox that runs in this folder',
    async () => (await import('./commands/trigger.ts')).trigger,
  ],
  'send <type|file>': [
    'Deliver one signed event to a receiver',
    async () => (await import('./commands/send.ts')).send,
  ],
  'replay <folder|file...>': [
    'Deliver recorded events to a receiver, with the retries of the service',
    async () => (await import('./commands/replay.ts')).replay,
  ],
  'relay [event id...]': [
    'Send stored events of a deployed inbox to an app on this machine',
    async () => (await import('./commands/relay.ts')).relay,
  ],
  'check <url>': [
    'Check a receiver, in any language, against everything the service may send',
    async () => (await import('./commands/check.ts')).check,
  ],
  'explain <delivery>': [
    'Explain why the signature of a captured delivery fails, and how to fix it',
    async () => (await import('./commands/explain.ts')).explain,
  ],
  doctor: [
    'Check an installation: secret, receiver, clocks, database, queue and worker',
    async () => (await import('./commands/doctor.ts')).doctor,
  ],
  'models [path...]': [
    'Find model ids in your code, and those that are deprecated or removed',
    async () => (await import('./commands/models.ts')).models,
  ],
  'inbox list': [
    'List the entries of an inbox, newest first',
    async () => (await entries()).inboxList,
  ],
  'inbox show <event id>': [
    'Show one entry: the event, its signing secret, and how its handler ended',
    async () => (await entries()).inboxShow,
  ],
  'inbox reproduce <event id>': [
    'Write a Vitest test that reproduces the last handler run of an event',
    async () => (await import('./commands/inbox-reproduce.ts')).inboxReproduce,
  ],
  'inbox count': ['Count entries, up to 100,000', async () => (await entries()).inboxCount],
  'inbox errors': [
    'List the errors of dead and failing entries, the most frequent first',
    async () => (await entries()).inboxErrors,
  ],
  'inbox retry [event id...]': [
    'Requeue dead or skipped entries, or retry failing ones now',
    async () => (await requeue()).inboxRetry,
  ],
  'inbox reprocess [event id...]': [
    'Requeue done or skipped entries, so that they are handled again',
    async () => (await requeue()).inboxReprocess,
  ],
  'inbox pause': [
    'Pause the handling of all events, or of some types, until you resume it',
    async () => (await pauses()).inboxPause,
  ],
  'inbox resume': ['Resume handling after a pause', async () => (await pauses()).inboxResume],
  'inbox quarantine list': [
    'List quarantined deliveries, newest first',
    async () => (await quarantine()).inboxQuarantineList,
  ],
  'inbox quarantine show <row>': [
    'Show one quarantined delivery and the reason',
    async () => (await quarantine()).inboxQuarantineShow,
  ],
  'inbox release [row]': [
    'Store a quarantined delivery as an event, or all with --all',
    async () => (await quarantine()).inboxRelease,
  ],
  'inbox discard [row]': [
    'Discard a quarantined delivery, or all with --all',
    async () => (await quarantine()).inboxDiscard,
  ],
  'inbox secrets': [
    'List signing secrets by fingerprint, and which of them you can remove',
    async () => (await deliveries()).inboxSecrets,
  ],
  'inbox rejections': [
    'List rejected deliveries by reason with the fix; reasons that pause the feed come first',
    async () => (await deliveries()).inboxRejections,
  ],
  'inbox gaps': [
    'List events that pull found and push did not deliver, and whether push is probably paused',
    async () => (await deliveries()).inboxGaps,
  ],
  'inbox prune': [
    'Delete the content of entries that were done or skipped long ago',
    async () => (await import('./commands/inbox-prune.ts')).inboxPrune,
  ],
  'inbox health': [
    'Show problems and the backlog; exit code 1 if there is a problem',
    async () => (await health()).inboxHealth,
  ],
  'inbox alerts': [
    'List alerts, open ones first; exit code 1 if one is open',
    async () => (await health()).inboxAlerts,
  ],
  alerts: [
    'Watch an inbox, and notify people when a problem begins and when it ends',
    async () => (await import('./commands/alerts.ts')).watchAlerts,
  ],
  audit: [
    'Report on the events of a month, with a hash chain that shows removed and changed rows',
    async () => (await import('./commands/audit.ts')).audit,
  ],
  'rehearse <handlers>': [
    'Run handlers on stored events in transactions that are rolled back',
    async () => (await import('./commands/rehearse.ts')).rehearseHandlers,
  ],
  console: [
    'Serve a web page that shows the events of an inbox and how they were handled',
    async () => (await import('./commands/console.ts')).openConsole,
  ],
  mcp: [
    'Serve tools for the inbox and for receivers to a coding agent (MCP)',
    async () => (await import('./commands/mcp.ts')).mcp,
  ],
  sandbox: [
    'Run the whole feed service on this machine, to develop and test against',
    async () => (await import('./commands/sandbox.ts')).sandbox,
  ],
}

/** Every verb, in the order of the list of all. Its options, notes and code are loaded on demand. */
export const commands = Object.entries(verbs).map(([usage, [summary, load]]): ListedVerb => {
  const [, name = '', operands = ''] = /^([a-z ]+?)(?: ([<[].*))?$/.exec(usage) ?? []
  return { name, operands, summary, load }
})
