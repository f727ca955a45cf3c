import type { Inbox } from '@feed-receiver/inbox'
import type { ReproduceOptions } from '@feed-receiver/operate/rehearse'

/** The test file of an event. Its package is loaded only when it is needed. */
export async function reproduceEvent(
  inbox: Inbox,
  eventId: string,
  options?: ReproduceOptions,
): Promise<string> {
  const { reproduce } = await import('@feed-receiver/operate/rehearse')
  return await reproduce(inbox, eventId, options)
}
