import type { Inbox } from '@feed-receiver/inbox'

/** What the console needs of an inbox. */
export type ConsoleInbox = Pick<
  Inbox<never>,
  'entries' | 'quarantined' | 'secrets' | 'operations' | 'activity' | 'health' | 'gaps'
>
