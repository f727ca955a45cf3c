import { checkOption, problem } from '../errors.ts'
import type { Place } from '../queue/queue.ts'
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
   * A module whose exports are options of `runCapsule`: `prepare`, which creates the tables that the
   * handlers use, and where they are needed `database`, `transaction` and `effects`.
   */
  setup?: string | undefined
}

/**
 * Writes a test file for vitest that runs the handler of an event as it was last run: with its bytes,
 * its revisions, the earlier events of its subject, the outcomes of its effects and the time. It has
 * no header, no signature and no secret. Errors: `unknown_event`, `content_pruned`, `bad_option`.
 */
export async function entryCapsule(
  place: Place,
  eventId: string,
  options: CapsuleOptions = {},
): Promise<string> {
  const { handlers = './handlers.ts', setup } = options
  checkOption(handlers !== '', 'handlers: name the module that exports them.')
  checkOption(setup !== '', 'setup: name a module, or leave it out.')
  const entry = await getEntry(place, eventId)
  if (!entry) throw problem('unknown_event', { id: eventId })
  const history = await readHistory(place, eventId)
  const clock = lastAttemptAt(entry)
  const before = history.before.filter(({ at }) => at.getTime() <= Date.parse(clock))
  return writeCapsule({ ...history, before, entry, clock, source: place.source, handlers, setup })
}

/** When the handler was last started; of a job that the queue has forgotten, when the entry ended. */
function lastAttemptAt({ job, handledAt }: EntryDetails): string {
  return job?.startedAt ?? handledAt ?? new Date().toISOString()
}
