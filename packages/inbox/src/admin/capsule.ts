import { checkOption, problem } from '../errors.ts'
import type { InboxContext } from '../context.ts'
import { getEntry, type EntryDetails } from './get-entry.ts'
import { readHistory } from './read-history.ts'
import { writeCapsule } from './write-capsule.ts'

export interface CapsuleOptions {
  /**
   * The module that exports `handlers`, as the test is to import it.
   * @default './handlers.ts'
   */
  handlers?: string | undefined
  /**
   * A module that exports options of `runCapsule`: `prepare`, which creates the tables that the
   * handlers use, and if needed `database`, `transaction` and `effects`.
   */
  setup?: string | undefined
}

/**
 * Writes a vitest file that repeats the last run of an event's handler: with its raw body, its
 * revisions, the earlier events of its subject, the results of its effects and the time. It
 * contains no header, no signature and no secret. Errors: `unknown_event`, `content_pruned`,
 * `bad_option`.
 */
export async function entryCapsule(
  context: InboxContext,
  eventId: string,
  options: CapsuleOptions = {},
): Promise<string> {
  const { handlers = './handlers.ts', setup } = options
  checkOption(handlers !== '', 'handlers: use the path of the module that exports them.')
  checkOption(setup !== '', 'setup: use the path of a module, or leave it out.')
  const entry = await getEntry(context, eventId)
  if (!entry) throw problem('unknown_event', { id: eventId })
  const history = await readHistory(context, eventId)
  const clock = lastAttemptAt(entry)
  const before = history.before.filter(({ at }) => at.getTime() <= Date.parse(clock))
  return writeCapsule({ ...history, before, entry, clock, source: context.source, handlers, setup })
}

/** When the handler last started. If the queue has deleted the job: when the entry ended. */
function lastAttemptAt({ job, handledAt }: EntryDetails): string {
  return job?.startedAt ?? handledAt ?? new Date().toISOString()
}
