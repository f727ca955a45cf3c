// The door for extensions.
import { InboxError } from './errors.ts'
import { extensionPoint, type ExtensionPoint, type InboxExtension } from './extension.ts'
import type { InboxContext } from './context.ts'
import type { Inbox } from './inbox.ts'

/** An inbox that may have extensions. */
type Extensible = Pick<Inbox<never>, typeof extensionPoint>

/**
 * Adds an extension to an inbox: tables of its own, periodic maintenance, and a look at entries
 * before they are deleted. Best called before `inbox.start()`, which then migrates its tables, and
 * in every process that works, drains or prunes. Throws `InboxError` `bad_option`.
 */
export function extendInbox(inbox: Extensible, extension: InboxExtension): void {
  pointOf(inbox).add(extension)
}

/**
 * Runs a function with the parts of a running inbox, once its extensions have their tables. In a
 * handler, it runs outside of the transaction of the handler. Errors: those of the function,
 * `not_running`, `not_migrated`, `unfit_database`, `inside_tx`.
 */
export async function withContext<Result>(
  inbox: Extensible,
  task: (context: InboxContext) => Promise<Result>,
): Promise<Result> {
  return await pointOf(inbox).run(task)
}

/** Callers without TypeScript pass anything. */
function pointOf(inbox: Partial<Extensible>): ExtensionPoint {
  const point = inbox[extensionPoint]
  if (point) return point
  throw new InboxError(
    'bad_option',
    'inbox: pass what createInbox returned, or one of the shards of an inbox over several.',
  )
}

export type { InboxExtension, MaintainOptions } from './extension.ts'
export type { InboxContext, InboxStore } from './context.ts'
export type { Privilege, TablePrivileges, Tables } from './entry/tables.ts'
export type { Queue } from './queue/queue.ts'
