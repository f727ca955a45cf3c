import type { ListedCommand } from './command.ts'

/** Every verb, in the order of the help. */
export const commands: readonly ListedCommand[] = [
  {
    name: 'send',
    operands: '<type|file>',
    summary: 'Deliver one signed event to a receiver',
    load: async () => (await import('./commands/send.ts')).send,
  },
  {
    name: 'replay',
    operands: '<folder|file...>',
    summary: 'Deliver many events, each with the retries of the service',
    load: async () => (await import('./commands/replay.ts')).replay,
  },
  {
    name: 'check',
    operands: '<url>',
    summary: 'Check a receiver, in any language, against everything the service may send',
    load: async () => (await import('./commands/check.ts')).check,
  },
  {
    name: 'explain',
    operands: '<delivery>',
    summary: 'Say why the signature of a captured delivery fails, and what to change',
    load: async () => (await import('./commands/explain.ts')).explain,
  },
  {
    name: 'doctor',
    summary: 'Look at an installation: secret, receiver, clocks, database, queue and worker',
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
  {
    name: 'inbox list',
    summary: 'List the entries of an inbox, newest first',
    load: async () => (await import('./commands/inbox-entries.ts')).inboxList,
  },
  {
    name: 'inbox show',
    operands: '<event id>',
    summary: 'Show one entry: the event, who signed it, and how its handler fared',
    load: async () => (await import('./commands/inbox-entries.ts')).inboxShow,
  },
  {
    name: 'inbox count',
    summary: 'Count entries, up to 100,000',
    load: async () => (await import('./commands/inbox-entries.ts')).inboxCount,
  },
  {
    name: 'inbox retry',
    operands: '[event id...]',
    summary: 'Queue dead or skipped entries again',
    load: async () => (await import('./commands/inbox-entries.ts')).inboxRetry,
  },
  {
    name: 'inbox quarantine list',
    summary: 'List what is in quarantine, the latest first',
    load: async () => (await import('./commands/inbox-quarantine.ts')).inboxQuarantineList,
  },
  {
    name: 'inbox quarantine show',
    operands: '<row>',
    summary: 'Show one delivery in quarantine, and why it is there',
    load: async () => (await import('./commands/inbox-quarantine.ts')).inboxQuarantineShow,
  },
  {
    name: 'inbox release',
    operands: '<row>',
    summary: 'Store a delivery from quarantine as if it came now',
    load: async () => (await import('./commands/inbox-quarantine.ts')).inboxRelease,
  },
  {
    name: 'inbox discard',
    operands: '<row>',
    summary: 'Mark a delivery in quarantine as dealt with',
    load: async () => (await import('./commands/inbox-quarantine.ts')).inboxDiscard,
  },
  {
    name: 'inbox secrets',
    summary: 'Say by fingerprint which secrets sign, and which one can be removed',
    load: async () => (await import('./commands/inbox-upkeep.ts')).inboxSecrets,
  },
  {
    name: 'inbox gaps',
    summary:
      'List what pull saw and push never brought, and say whether pushing is probably paused',
    load: async () => (await import('./commands/inbox-upkeep.ts')).inboxGaps,
  },
  {
    name: 'inbox prune',
    summary: 'Empty the bytes of entries that were done or skipped long ago',
    load: async () => (await import('./commands/inbox-upkeep.ts')).inboxPrune,
  },
  {
    name: 'inbox health',
    summary: 'Say what is wrong and what waits; exit code 1 if anything is wrong',
    load: async () => (await import('./commands/inbox-upkeep.ts')).inboxHealth,
  },
  {
    name: 'console',
    summary: 'Serve a web page over an inbox until Ctrl-C: what came, and what became of it',
    load: async () => (await import('./commands/console.ts')).openConsole,
  },
  {
    name: 'sandbox',
    summary: 'Run the whole feed service on this machine, to develop and test against',
    load: async () => (await import('./commands/sandbox.ts')).sandbox,
  },
]
