import type { Handlers } from '@feed-receiver/inbox'

/** One handler for each event type. If a handler throws, the inbox retries it with backoff for hours. */
export const handlers: Handlers = {
  // Writes through `tx` of the second argument happen exactly once.
  outage_started: ({ data }) => {
    console.log(`Outage: ${data.title} (${data.source_url})`)
  },
  model_release: ({ data }) => {
    console.log(`New model: ${data.title} (${data.source_url})`)
  },
}
