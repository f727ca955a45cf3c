import type { Change } from '@feed-receiver/inbox'

/** What a version of an event is to the one before, in words. */
export const changes: Record<Change, string> = {
  new: 'changed before it was handled',
  correction: 'corrected',
  retraction: 'retracted',
  confirmation: 'confirmed',
}
