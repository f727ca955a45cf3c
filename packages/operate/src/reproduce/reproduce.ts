import type { EntryDetails, Inbox } from '@feed-receiver/inbox'
import { withContext } from '@feed-receiver/inbox/extend'
import { checkOption } from '../errors.ts'
import { readHistory, unknownEvent } from './read-history.ts'
import { writeReproduction } from './write-reproduction.ts'

export interface ReproduceOptions {
  /**
   * The module that exports `handlers`, as the test is to import it.
   * @default './handlers.ts'
   */
  handlers?: string | undefined
  /**
   * A module that exports options of `runReproduction`: `prepare`, which creates the tables that the
   * handlers use, and if needed `database`, `transaction` and `effects`.
   */
  setup?: string | undefined
}

/**
 * Writes a vitest file that repeats the last run of an event's handler: with its raw body, its
 * revisions, the earlier events of its subject, the results of its effects and the time. It
 * contains no header, no signature and no secret. Errors: `unknown_event`, `content_pruned`,
 * `bad_option`, and `not_running` of the inbox.
 */
export async function reproduce<AppTx>(
  inbox: Inbox<AppTx>,
  eventId: string,
  options: ReproduceOptions = {},
): Promise<string> {
  const { handlers = './handlers.ts', setup } = options
  checkOption(handlers !== '', 'handlers: use the path of the module that exports them.')
  checkOption(setup !== '', 'setup: use the path of a module, or leave it out.')
  const entry = await inbox.entries.get(eventId)
  if (!entry) throw unknownEvent(eventId)
  const history = await withContext(inbox, (context) => readHistory(context, eventId))
  const clock = lastAttemptAt(entry)
  const before = history.before.filter(({ at }) => at.getTime() <= Date.parse(clock))
  const { source } = inbox
  return writeReproduction({ ...history, before, entry, clock, source, handlers, setup })
}

/** When the handler last started. If the queue has deleted the job: when the entry ended. */
function lastAttemptAt({ job, handledAt }: EntryDetails): string {
  return job?.startedAt ?? handledAt ?? new Date().toISOString()
}
