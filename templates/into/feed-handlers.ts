import type { Handlers } from '@feed-receiver/inbox'

/** What becomes of an event, by its type. A handler that throws is tried again, for hours. */
export const handlers: Handlers = {
  // What is written through the `tx` of the second argument is there exactly once.
  outage_started: ({ data }) => {
    console.log(`Outage: ${data.title} (${data.source_url})`)
  },
  model_release: ({ data }) => {
    console.log(`New model: ${data.title} (${data.source_url})`)
  },
}
