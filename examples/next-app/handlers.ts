import type { Handlers } from '@feed-receiver/inbox'

export const handlers: Handlers = {
  outage_started: (event) => console.log(`Outage: ${event.data.title} (${event.data.source_url})`),
}
