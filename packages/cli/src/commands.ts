import type { ListedVerb } from './command.ts'

const entries = () => import('./commands/inbox-entries.ts')
const requeue = () => import('./commands/inbox-requeue.ts')
const pauses = () => import('./commands/inbox-pauses.ts')
const quarantine = () => import('./commands/inbox-quarantine.ts')
const deliveries = () => import('./commands/inbox-deliveries.ts')
const health = () => import('./commands/inbox-health.ts')

const verbs: Record<string, Pick<ListedVerb, 'summary' | 'load'>> = {
  'dev [url] [command...]': {
    summary:
      'Run the feed service beside your app, deliver the feed to it, and show both on one page',
    load: async () => (await import('./commands/dev.ts')).dev,
  },
  'trigger [type]': {
    summary: 'Publish an event in the dev or sandbox that runs in this folder',
    load: async () => (await import('./commands/trigger.ts')).trigger,
  },
  'send <type|file>': {
    summary: 'Deliver one signed event to a receiver',
    load: async () => (await import('./commands/send.ts')).send,
  },
  'replay <folder|file...>': {
    summary: 'Deliver recorded events to a receiver, with the retries of the service',
    load: async () => (await import('./commands/replay.ts')).replay,
  },
  'relay [event id...]': {
    summary: 'Send stored events of a deployed inbox to an app on this machine',
    load: async () => (await import('./commands/relay.ts')).relay,
  },
  'check <url>': {
    summary: 'Check a receiver, in any language, against everything the service may send',
    load: async () => (await import('./commands/check.ts')).check,
  },
  'explain <delivery>': {
    summary: 'Explain why the signature of a captured delivery fails, and how to fix it',
    load: async () => (await import('./commands/explain.ts')).explain,
  },
  doctor: {
    summary: 'Check an installation: secret, receiver, clocks, database, queue and worker',
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
  'models [path...]': {
    summary: 'Find model ids in your code, and those that are deprecated or removed',
    load: async () => (await import('./commands/models.ts')).models,
  },
  'inbox list': {
    summary: 'List the entries of an inbox, newest first',
    load: async () => (await entries()).inboxList,
  },
  'inbox show <event id>': {
    summary: 'Show one entry: the event, its signing secret, and how its handler ended',
    load: async () => (await entries()).inboxShow,
  },
  'inbox reproduce <event id>': {
    summary: 'Write a Vitest test that reproduces the last handler run of an event',
    load: async () => (await import('./commands/inbox-reproduce.ts')).inboxReproduce,
  },
  'inbox count': {
    summary: 'Count entries, up to 100,000',
    load: async () => (await entries()).inboxCount,
  },
  'inbox errors': {
    summary: 'List the errors of dead and failing entries, the most frequent first',
    load: async () => (await entries()).inboxErrors,
  },
  'inbox retry [event id...]': {
    summary: 'Requeue dead or skipped entries, or retry failing ones now',
    load: async () => (await requeue()).inboxRetry,
  },
  'inbox reprocess [event id...]': {
    summary: 'Requeue done or skipped entries, so that they are handled again',
    load: async () => (await requeue()).inboxReprocess,
  },
  'inbox pause': {
    summary: 'Pause the handling of all events, or of some types, until you resume it',
    load: async () => (await pauses()).inboxPause,
  },
  'inbox resume': {
    summary: 'Resume handling after a pause',
    load: async () => (await pauses()).inboxResume,
  },
  'inbox quarantine list': {
    summary: 'List quarantined deliveries, newest first',
    load: async () => (await quarantine()).inboxQuarantineList,
  },
  'inbox quarantine show <row>': {
    summary: 'Show one quarantined delivery and the reason',
    load: async () => (await quarantine()).inboxQuarantineShow,
  },
  'inbox release [row]': {
    summary: 'Store a quarantined delivery as an event, or all with --all',
    load: async () => (await quarantine()).inboxRelease,
  },
  'inbox discard [row]': {
    summary: 'Discard a quarantined delivery, or all with --all',
    load: async () => (await quarantine()).inboxDiscard,
  },
  'inbox secrets': {
    summary: 'List signing secrets by fingerprint, and which of them you can remove',
    load: async () => (await deliveries()).inboxSecrets,
  },
  'inbox rejections': {
    summary:
      'List rejected deliveries by reason with the fix; reasons that pause the feed come first',
    load: async () => (await deliveries()).inboxRejections,
  },
  'inbox gaps': {
    summary:
      'List events that pull found and push did not deliver, and whether push is probably paused',
    load: async () => (await deliveries()).inboxGaps,
  },
  'inbox prune': {
    summary: 'Delete the content of entries that were done or skipped long ago',
    load: async () => (await import('./commands/inbox-prune.ts')).inboxPrune,
  },
  'inbox health': {
    summary: 'Show problems and the backlog; exit code 1 if there is a problem',
    load: async () => (await health()).inboxHealth,
  },
  'inbox alerts': {
    summary: 'List alerts, open ones first; exit code 1 if one is open',
    load: async () => (await health()).inboxAlerts,
  },
  alerts: {
    summary: 'Watch an inbox, and notify people when a problem begins and when it ends',
    load: async () => (await import('./commands/alerts.ts')).watchAlerts,
  },
  audit: {
    summary:
      'Report on the events of a month, with a hash chain that shows removed and changed rows',
    load: async () => (await import('./commands/audit.ts')).audit,
  },
  'rehearse <handlers>': {
    summary: 'Run handlers on stored events in transactions that are rolled back',
    load: async () => (await import('./commands/rehearse.ts')).rehearseHandlers,
  },
  console: {
    summary: 'Serve a web page that shows the events of an inbox and how they were handled',
    load: async () => (await import('./commands/console.ts')).openConsole,
  },
  mcp: {
    summary: 'Serve tools for the inbox and for receivers to a coding agent (MCP)',
    load: async () => (await import('./commands/mcp.ts')).mcp,
  },
  sandbox: {
    summary: 'Run the whole feed service on this machine, to develop and test against',
    load: async () => (await import('./commands/sandbox.ts')).sandbox,
  },
}

/** Every verb, in the order of the list of all. Its options, notes and code are loaded on demand. */
export const commands: readonly ListedVerb[] = Object.entries(verbs).map(([usage, verb]) => {
  const [, name = '', operands = ''] = /^([a-z ]+?)(?: ([<[].*))?$/.exec(usage) ?? []
  return { name, operands, ...verb }
})
