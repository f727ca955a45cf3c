import type { Verb, VerbName } from './command.ts'
import { entriesOf } from './texts.ts'
import help from './help.json' with { type: 'json' }

const entries = () => import('./commands/inbox-entries.ts')
const reopen = () => import('./commands/inbox-requeue.ts')
const pauses = () => import('./commands/inbox-pauses.ts')
const quarantine = () => import('./commands/inbox-quarantine.ts')
const upkeep = () => import('./commands/inbox-upkeep.ts')

const verbs: Record<VerbName, () => Promise<Verb>> = {
  dev: async () => (await import('./commands/dev.ts')).dev,
  send: async () => (await import('./commands/send.ts')).send,
  replay: async () => (await import('./commands/replay.ts')).replay,
  relay: async () => (await import('./commands/relay.ts')).relay,
  check: async () => (await import('./commands/check.ts')).check,
  explain: async () => (await import('./commands/explain.ts')).explain,
  doctor: async () => (await import('./commands/doctor.ts')).doctor,
  'inbox list': async () => (await entries()).inboxList,
  'inbox show': async () => (await entries()).inboxShow,
  'inbox reproduce': async () => (await import('./commands/inbox-reproduce.ts')).inboxReproduce,
  'inbox count': async () => (await entries()).inboxCount,
  'inbox retry': async () => (await reopen()).inboxRetry,
  'inbox reprocess': async () => (await reopen()).inboxReprocess,
  'inbox pause': async () => (await pauses()).inboxPause,
  'inbox resume': async () => (await pauses()).inboxResume,
  'inbox quarantine list': async () => (await quarantine()).inboxQuarantineList,
  'inbox quarantine show': async () => (await quarantine()).inboxQuarantineShow,
  'inbox release': async () => (await quarantine()).inboxRelease,
  'inbox discard': async () => (await quarantine()).inboxDiscard,
  'inbox secrets': async () => (await upkeep()).inboxSecrets,
  'inbox rejections': async () => (await import('./commands/inbox-rejections.ts')).inboxRejections,
  'inbox gaps': async () => (await upkeep()).inboxGaps,
  'inbox prune': async () => (await upkeep()).inboxPrune,
  'inbox health': async () => (await upkeep()).inboxHealth,
  'inbox alerts': async () => (await upkeep()).inboxAlerts,
  alerts: async () => (await import('./commands/alerts.ts')).watchAlerts,
  audit: async () => (await import('./commands/audit.ts')).audit,
  rehearse: async () => (await import('./commands/rehearse.ts')).rehearseHandlers,
  console: async () => (await import('./commands/console.ts')).openConsole,
  mcp: async () => (await import('./commands/mcp.ts')).mcp,
  sandbox: async () => (await import('./commands/sandbox.ts')).sandbox,
}

/** Every verb with its help, in the order of the list of all. */
export const commands = entriesOf(verbs).map(([name, load]) => ({
  name,
  load,
  ...help.verbs[name],
}))
