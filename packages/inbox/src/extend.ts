// The door for extensions: they import nothing else of the inbox but its main entry.
import { extensionPoint, type InboxExtension } from './extension.ts'
import type { InboxContext } from './context.ts'
import type { Inbox } from './inbox.ts'

/** An inbox with an extension. */
export interface ExtendedInbox {
  /**
   * The running inbox, once its extensions have their tables. Errors: `not_running`,
   * `not_migrated`.
   */
  context(): Promise<InboxContext>
}

/**
 * Adds an extension to an inbox: tables of its own, periodic maintenance, and a look at entries
 * before they are deleted. Best called before `inbox.start()`, which then migrates its tables, and
 * in every process that works, drains or prunes. Throws `InboxError` `bad_option`.
 */
export function extendInbox(
  inbox: Pick<Inbox<never>, typeof extensionPoint>,
  extension: InboxExtension,
): ExtendedInbox {
  const point = inbox[extensionPoint]
  point.add(extension)
  return { context: () => point.context() }
}

export { cleanText } from './entry/columns.ts'
export { reportTo } from './report-to.ts'
export type { InboxExtension } from './extension.ts'
export type { InboxContext, InboxStore } from './context.ts'
export type { Tables } from './entry/tables.ts'
export type { Queue } from './queue/queue.ts'
