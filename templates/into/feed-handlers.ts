import { stdout } from 'node:process'
import type { Handlers } from '@feed-receiver/inbox'

/** One handler for each event type. If one throws, it is retried ten times in about two hours. */
export const handlers: Handlers = {
  // Writes through `tx` of the second argument happen exactly once.
  outage_started: ({ data }) => {
    stdout.write(`Outage: ${data.title} (${data.source_url})\n`)
  },
  model_release: ({ data }) => {
    stdout.write(`New model: ${data.title} (${data.source_url})\n`)
  },
}
