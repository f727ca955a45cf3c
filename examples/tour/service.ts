import { createConsole } from '@feed-receiver/console'
import { openDatabase } from '@feed-receiver/database'
import type { Inbox } from '@feed-receiver/inbox'
import { createSandbox, type Sandbox } from '@feed-receiver/sandbox'
// The page has no public name, because it changes with the command that it is a part of. An app needs
// no such import: `feed-receiver dev` serves the page.
import { devPage } from 'feed-receiver/internal'

const target = { folder: '.feed-receiver/tour-sandbox' }

/**
 * The sending side: the whole feed service, with an empty database. Its page shows the inbox of the
 * app beside the feed.
 */
export async function startService(inbox: Inbox): Promise<Sandbox> {
  await forgetEverything()
  const feedConsole = createConsole({ inbox, readOnly: false, authorize: () => ({ name: 'you' }) })
  const page = { folder: devPage, inbox: feedConsole }
  const sandbox = createSandbox({ database: target, port: 0, historyDays: 0, page })
  await sandbox.start()
  return sandbox
}

// Creating a database takes seconds; emptying one takes no time.
async function forgetEverything(): Promise<void> {
  await using database = openDatabase(target)
  await database.query('drop schema if exists sandbox cascade')
}
