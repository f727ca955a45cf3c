import type { Command } from './command.ts'
import { check } from './commands/check.ts'
import { openConsole } from './commands/console.ts'
import { doctor } from './commands/doctor.ts'
import { explain } from './commands/explain.ts'
import { inboxCount } from './commands/inbox-count.ts'
import { inboxDiscard } from './commands/inbox-discard.ts'
import { inboxGaps } from './commands/inbox-gaps.ts'
import { inboxHealth } from './commands/inbox-health.ts'
import { inboxList } from './commands/inbox-list.ts'
import { inboxPrune } from './commands/inbox-prune.ts'
import { inboxQuarantineList } from './commands/inbox-quarantine-list.ts'
import { inboxQuarantineShow } from './commands/inbox-quarantine-show.ts'
import { inboxRelease } from './commands/inbox-release.ts'
import { inboxRetry } from './commands/inbox-retry.ts'
import { inboxSecrets } from './commands/inbox-secrets.ts'
import { inboxShow } from './commands/inbox-show.ts'
import { replay } from './commands/replay.ts'
import { sandbox } from './commands/sandbox.ts'
import { send } from './commands/send.ts'

/** Every verb, in the order of the help. */
export const commands: readonly Command[] = [
  send,
  replay,
  check,
  explain,
  doctor,
  inboxList,
  inboxShow,
  inboxCount,
  inboxRetry,
  inboxQuarantineList,
  inboxQuarantineShow,
  inboxRelease,
  inboxDiscard,
  inboxSecrets,
  inboxGaps,
  inboxPrune,
  inboxHealth,
  openConsole,
  sandbox,
]
